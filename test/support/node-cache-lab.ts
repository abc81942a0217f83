/**
 * Node caches in front of a real control plane, installed as `deploy/node-cache` says, and their clients: the kubelet of
 * a node by its certificate, and programs with service accounts of their own.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type RunningNodeCache, startNodeCache } from '../../src/app/node-cache.ts';
import type { KubeClient } from '../../src/dev/kube-client.ts';
import { newKubeconfig, writePrivateFile } from '../../src/onboarding/kubeconfig.ts';
import { type CertificatePair, issueClient } from '../../src/pki/certificates.ts';
import type { HostConnection } from '../../src/upstream/host-connection.ts';
import { must } from './administrator.ts';
import { CLI } from './cli.ts';
import { adminClient, type ControlPlaneFacts } from './control-plane.ts';
import { type RawAnswer, type RawRequest, requestOnce } from './http.ts';
import { type OpenWatch, openWatch } from './open-watch.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url));
const SYSTEM = 'kubeveil-system';
export const HUB_ACCOUNT = `system:serviceaccount:${SYSTEM}:kubeveil-node-cache-hub`;
export const CACHE_ACCOUNT = `system:serviceaccount:${SYSTEM}:kubeveil-node-cache`;

export type Credential = { readonly token: string } | { readonly certPem: string; readonly keyPem: string };

/** Where a cache listens. */
type Reached = Pick<RunningNodeCache, 'server' | 'caPem'>;

export class NodeCacheLab implements AsyncDisposable {
  readonly facts: ControlPlaneFacts;
  readonly admin: KubeClient;
  readonly authority: CertificatePair;
  readonly #token: string;
  #hubToken: string | undefined;
  readonly #held = new AsyncDisposableStack();

  private constructor(facts: ControlPlaneFacts, admin: KubeClient, authority: CertificatePair, token: string) {
    this.facts = facts;
    this.admin = admin;
    this.authority = authority;
    this.#token = token;
  }

  static async open(facts: ControlPlaneFacts): Promise<NodeCacheLab> {
    for (const file of ['00-namespace.yaml', 'node-cache/10-account.yaml']) await apply(facts, `${DEPLOY}/${file}`);
    // Checked by the API server, and not left there: nothing here pulls images.
    for (const file of ['node-cache/20-daemonset.yaml', 'node-cache-hub/10-hub.yaml'])
      await apply(facts, `${DEPLOY}/${file}`, '--dry-run=server');
    const admin = adminClient(facts);
    const [certPem, keyPem] = await Promise.all(
      [facts.caCertPath, facts.caKeyPath].map((file) => readFile(file, 'utf8')),
    );
    const authority = { certPem: certPem ?? '', keyPem: keyPem ?? '' };
    return new NodeCacheLab(facts, admin, authority, await tokenOf(admin, SYSTEM, 'kubeveil-node-cache'));
  }

  /** The kubelet's credential. */
  async node(name: string): Promise<CertificatePair> {
    return await issueClient(this.authority, { user: `system:node:${name}`, groups: ['system:nodes'] });
  }

  /** A namespace with an account `agent` in it that may do what the rules say. */
  async agent(namespace: string, rules: readonly object[]): Promise<{ token: string }> {
    const { admin } = this;
    await admin.create('/api/v1/namespaces', { metadata: { name: namespace } });
    await admin.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'agent' } });
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await admin.create(`${rbac}/clusterroles`, { metadata: { name: namespace }, rules });
    await admin.create(`${rbac}/clusterrolebindings`, {
      metadata: { name: namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: namespace },
      subjects: [{ kind: 'ServiceAccount', name: 'agent', namespace }],
    });
    return { token: await tokenOf(admin, namespace, 'agent') };
  }

  /** @param more where the API server is, for caches that reach it by another way */
  async cache(
    options: { nodeName?: string; node?: CertificatePair; stateFolder?: string; server?: string; hub?: Reached } = {},
  ): Promise<RunningNodeCache> {
    const { caPem } = this.facts;
    const { node, nodeName = 'node-1', server = this.facts.server, hub } = options;
    const stateFolder = options.stateFolder ?? (await this.folder());
    const running = await startNodeCache({
      own: () => ({ server, caPem, credentials: { authorization: async () => `Bearer ${this.#token}` } }),
      node: node && (() => nodeConnection(server, caPem, node)),
      scope: { node: nodeName },
      hub,
      listen: { host: '127.0.0.1', port: 0 },
      stateFolder,
      graceMs: 500,
    });
    this.#held.use(running);
    return running;
  }

  /** A hub, as `deploy/node-cache-hub/` has it. @param more where it listens, for one that comes back */
  async hub(more: { port?: number; stateFolder?: string; server?: string } = {}): Promise<RunningNodeCache> {
    const { caPem } = this.facts;
    const { server = this.facts.server } = more;
    await apply(this.facts, `${DEPLOY}/node-cache-hub/10-hub.yaml`, '--selector=kubeveil.dev/part=rights');
    this.#hubToken ??= await tokenOf(this.admin, SYSTEM, 'kubeveil-node-cache-hub');
    const token = this.#hubToken;
    const running = await startNodeCache({
      own: () => ({ server, caPem, credentials: { authorization: async () => `Bearer ${token}` } }),
      scope: 'hub',
      listen: { host: '127.0.0.1', port: more.port ?? 0 },
      stateFolder: more.stateFolder ?? (await this.folder()),
      graceMs: 500,
    });
    this.#held.use(running);
    return running;
  }

  /** As a program of its own, started as its docs say. @returns where it listens, and what ends it, to its exit code */
  async program(
    nodeName: string,
    node: CertificatePair,
  ): Promise<{ server: string; caPem: string; stop(): Promise<number> }> {
    const folder = await this.folder();
    const { server, caPem } = this.facts;
    const cluster = { context: 'host', cluster: 'host', server, caPem };
    const own = join(folder, 'own.kubeconfig');
    writePrivateFile(own, newKubeconfig({ ...cluster, user: 'own', credential: { token: this.#token } }));
    const ofNode = join(folder, 'node.kubeconfig');
    writePrivateFile(ofNode, newKubeconfig({ ...cluster, user: 'node', credential: node }));
    const args = ['node-cache', '--listen=127.0.0.1:0', `--state=${folder}/state`, `--kubeconfig=${own}`];
    const child = spawn(process.execPath, [CLI, ...args, `--node-kubeconfig=${ofNode}`, `--node-name=${nodeName}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#held.defer(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit') as Promise<[number]>;
    const stop = async (): Promise<number> => {
      child.kill('SIGTERM');
      return (await ended)[0];
    };
    for await (const line of createInterface({ input: child.stderr })) {
      const said = JSON.parse(line) as { msg: string; server: string; ca: string };
      if (said.msg === 'listening' && said.ca !== undefined) {
        child.stderr.resume();
        return { server: said.server, caPem: await readFile(said.ca, 'utf8'), stop };
      }
    }
    throw new Error('the node cache ended before it listened');
  }

  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'kubeveil-node-cache-'));
    this.#held.defer(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  /** Through a cache. */
  ask(cache: Reached, path: string, as: Partial<Credential> = {}, more: Partial<RawRequest> = {}): Promise<RawAnswer> {
    return requestOnce({ server: cache.server, caPem: cache.caPem, path, ...as, ...more });
  }

  /** The same of the API server itself. */
  plain(path: string, as: Partial<Credential> = {}, more: Partial<RawRequest> = {}): Promise<RawAnswer> {
    return requestOnce({ server: this.facts.server, caPem: this.facts.caPem, path, ...as, ...more });
  }

  watch(cache: RunningNodeCache, path: string, as: Credential): Promise<OpenWatch> {
    return openWatch({ server: cache.server, caPem: cache.caPem, path, ...as });
  }

  /** What a user asked of the API server, from a line of its audit log on: `get /api/v1/nodes/a`. */
  async asked(username: string, fromLine = 0): Promise<string[]> {
    const lines = (await this.#auditLines()).slice(fromLine).flatMap((line) => {
      const event = JSON.parse(line) as { user: { username: string }; stage: string; verb: string; requestURI: string };
      return event.user.username === username ? [`${event.verb} ${event.requestURI}`] : [];
    });
    return [...new Set(lines)];
  }

  /** How long the audit log is by now. */
  async auditMark(): Promise<number> {
    return (await this.#auditLines()).length;
  }

  async #auditLines(): Promise<string[]> {
    return (await readFile(this.facts.auditLogPath, 'utf8')).split('\n').filter((line) => line.endsWith('}'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#held.disposeAsync();
    this.admin.close();
  }
}

function nodeConnection(
  server: string,
  caPem: string,
  { certPem: cert, keyPem: key }: CertificatePair,
): HostConnection {
  return { server, caPem, credentials: { authorization: async () => undefined, tls: { cert, key } } };
}

async function tokenOf(admin: KubeClient, namespace: string, account: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const answer = await must(admin, 'POST', path, { spec: { expirationSeconds: 3_600 } });
  return (answer as unknown as { status: { token: string } }).status.token;
}

async function apply(facts: ControlPlaneFacts, file: string, ...flags: string[]): Promise<void> {
  const args = ['--kubeconfig', facts.adminKubeconfigPath, 'apply', '--server-side', '-f', file, ...flags];
  await promisify(execFile)(facts.kubectlPath, args);
}
