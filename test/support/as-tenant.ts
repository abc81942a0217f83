/**
 * What tests of the product are written with: kubectl and plain requests as each tenant, and `asBoth`, which does the
 * same under the same names as both tenants at once. Whatever a tenant receives on these ways passes the canary check.
 */
import { afterAll, beforeAll, expect, inject } from 'vitest';
import type { KubeClient } from '../../src/dev/kube-client.ts';
import { expectAlive } from './alive.ts';
import { expectClean, expectCleanText, type Forbidden, forbiddenTo, type Looking } from './canary.ts';
import { adminClient } from './control-plane.ts';
import { jsonOf, type RawAnswer, type RawRequest, requestOnce } from './http.ts';
import { type Following, followKubectl, type KubectlOptions, type Ran, runKubectl } from './kubectl.ts';
import { type OpenWatch, openWatch } from './open-watch.ts';
import type { ProductFacts, TenantFacts } from './product.ts';
import { CANARY, HOST_NAMESPACE } from './seed-words.ts';

declare module 'vitest' {
  interface ProvidedContext {
    product: ProductFacts;
  }
}

/** `typed`: what of the request an error may repeat, though it looks like another's. */
export type SendOptions = Partial<Omit<RawRequest, 'path'>> & Looking;
export type RunOptions = KubectlOptions & Looking;

/** An object as tests look into it: they know what they expect, and say so with `expect`. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads fields of any kind, and a wrong one fails it
export type KubeObject = any;

export interface Answered {
  readonly status: number;
  readonly object: KubeObject;
}

export class TenantClient {
  readonly id: string;
  readonly facts: TenantFacts;
  readonly forbidden: readonly Forbidden[];
  readonly #product: ProductFacts;

  /** @param foreign words that only others may see */
  constructor(product: ProductFacts, facts: TenantFacts, foreign: readonly string[]) {
    this.#product = product;
    this.id = facts.id;
    this.facts = facts;
    this.forbidden = forbiddenTo({ own: facts.id, foreign, host: [HOST_NAMESPACE, 'kubeveil-system'] });
  }

  /**
   * Arguments are split at spaces, but not inside of single quotes.
   * @returns the trimmed standard output. @throws when kubectl fails, with what it wrote
   */
  async kubectl(args: string, options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`as ${this.id}: kubectl ${args} ended with code ${code}\n${stdout}\n${stderr}`);
    return stdout.trim();
  }

  /** Any exit code is an answer. */
  async run(args: string, { typed, ...options }: RunOptions = {}): Promise<Ran> {
    const ran = await runKubectl(this.facts.kubeconfigPath, words(args), options);
    expectCleanText(`${ran.stdout}\n${ran.stderr}`, this.forbidden, typed === undefined ? {} : { typed });
    return ran;
  }

  /** @returns what kubectl wrote to standard error. @throws when it succeeds */
  async refused(args: string, options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code === 0) throw new Error(`as ${this.id}: kubectl ${args} succeeded but must be refused\n${stdout}`);
    return stderr.trim();
  }

  /** A kubectl that goes on. Check what it wrote by `mustBeClean`. */
  follow(args: string, options: Omit<KubectlOptions, 'stdin'> = {}): Following {
    return followKubectl(this.facts.kubeconfigPath, words(args), options);
  }

  mustBeClean(text: string): void {
    expectCleanText(text, this.forbidden);
  }

  apply(manifest: unknown, args = ''): Promise<string> {
    return this.kubectl(`apply -f - ${args}`, { stdin: textOf(manifest) });
  }

  create(manifest: unknown, args = ''): Promise<string> {
    return this.kubectl(`create -f - ${args}`, { stdin: textOf(manifest) });
  }

  /** What `kubectl get` finds, as JSON. */
  async get(args: string): Promise<KubeObject> {
    return JSON.parse(await this.kubectl(`get ${args} -o json`)) as KubeObject;
  }

  /** A plain request, under the tenant's certificate unless the options have another. */
  async send(path: string, { typed, ...options }: SendOptions = {}): Promise<RawAnswer> {
    const { server, caPem } = this.#product;
    const { certPem, keyPem } = this.facts;
    const answer = await requestOnce({ server, caPem, certPem, keyPem, path, ...options });
    expectClean(answer, this.forbidden, typed === undefined ? {} : { typed });
    return answer;
  }

  /** Open until the server ends it or the test does. */
  async watch(path: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenWatch> {
    const { server, caPem } = this.#product;
    const { certPem, keyPem } = this.facts;
    return await openWatch({ server, caPem, certPem, keyPem, path, headers });
  }

  /** A plain GET of a JSON document. @throws unless it is answered with 200 */
  async json(path: string, options: SendOptions = {}): Promise<KubeObject> {
    const answer = await this.send(path, options);
    if (answer.status !== 200) throw new Error(`GET ${path} was answered with ${answer.status}: ${answer.text}`);
    return jsonOf<KubeObject>(answer);
  }

  /** A plain request with a JSON body, and the `Status` or object that it is answered with. */
  async write(method: string, path: string, body: unknown, options: SendOptions = {}): Promise<Answered> {
    const answer = await this.send(path, { method, body: JSON.stringify(body), ...options });
    return { status: answer.status, object: jsonOf<KubeObject>(answer) };
  }
}

/** A client of one of the product's two tenants. */
export function clientOf(product: ProductFacts, id: 'acme' | 'globex'): TenantClient {
  const other = id === 'acme' ? product.globex : product.acme;
  // Acme's objects hold no canary: what globex must not see of it is its name.
  return new TenantClient(product, product[id], [other.id, other.uid, ...(id === 'acme' ? [CANARY] : [])]);
}

/** Both tenants at once. @throws with the errors of both */
export async function asBoth<T>(
  tenants: readonly TenantClient[],
  act: (tenant: TenantClient) => Promise<T>,
): Promise<T[]> {
  const done = await Promise.allSettled(tenants.map((tenant) => act(tenant)));
  const failed = done.flatMap((result, at) =>
    result.status === 'rejected' ? [{ tenant: tenants[at]?.id, reason: result.reason as Error }] : [],
  );
  const [first] = failed;
  if (first !== undefined) {
    const message = failed.map(({ tenant, reason }) => `as ${tenant}: ${reason.message}`).join('\n');
    throw new Error(message, { cause: first.reason });
  }
  return done.map((result) => (result as PromiseFulfilledResult<T>).value);
}

/**
 * Makes a namespace for one test. It is left behind: every test has names of its own, and deleting a namespace costs the
 * host more than everything that a test does in it. `namespaces.test.ts` deletes some.
 */
export async function inNamespace<T>(
  tenant: TenantClient,
  name: string,
  act: (namespace: string) => Promise<T>,
): Promise<T> {
  await tenant.kubectl(`create namespace ${name}`);
  return await act(name);
}

export interface UsedProduct {
  readonly acme: TenantClient;
  readonly globex: TenantClient;
  readonly both: readonly TenantClient[];
  /** The host's administrator: to look at the outcome, and to set up what only the host can. */
  readonly host: KubeClient;
  readonly facts: ProductFacts;
}

/**
 * For the top of a test file. When its tests are done it shows that the proxy still runs, still answers, and met no
 * fault of its own.
 */
export function useProduct(): UsedProduct {
  const facts = inject('product');
  const acme = clientOf(facts, 'acme');
  const globex = clientOf(facts, 'globex');
  const host = adminClient(inject('controlPlane'));
  beforeAll(() => expectAlive(facts));
  afterAll(async () => {
    host.close();
    await expectAlive(facts);
  });
  return { acme, globex, both: [acme, globex], host, facts };
}

/** @returns the Status that the answer is */
export function expectStatus(answer: RawAnswer, code: number, reason: string): KubeObject {
  const status = jsonOf<KubeObject>(answer);
  const { kind, apiVersion } = status;
  expect({ http: answer.status, kind, apiVersion, code: status.code, reason: status.reason }).toEqual({
    http: code,
    kind: 'Status',
    apiVersion: 'v1',
    code,
    reason,
  });
  return status;
}

function words(text: string): string[] {
  return [...text.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''));
}

function textOf(manifest: unknown): string {
  return typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
}
