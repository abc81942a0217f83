/**
 * The product in front of a control plane of its own that a test breaks, reached by a relay that can be broken too, with
 * an informer of one tenant that is open all the while. What the informer was told is compared with what happened.
 */
import type { ControlPlane, ControlPlaneOptions } from '../../src/dev/control-plane.ts';
import type { KubeClient } from '../../src/dev/kube-client.ts';
import { clientOf, type KubeObject, type TenantClient } from './as-tenant.ts';
import { adminClient, factsOf, startPrivateControlPlane } from './control-plane.ts';
import { jsonOf } from './http.ts';
import type { OpenWatch } from './open-watch.ts';
import { eventually } from './processes.ts';
import { type Product, startProduct } from './product.ts';
import { openRelay, type Relay } from './relay.ts';

export const ALL = '/api/v1/configmaps';
export const MAPS = '/api/v1/namespaces/default/configmaps';
export const INFORMER =
  'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=900';
/** What the lab makes bears it; what the host makes by itself does not. */
const LABELS = { lab: 'faults' };
const SELECTED = 'labelSelector=lab%3Dfaults';
/** Time for a proxy that was cut off to try again, and for an API server to come up on a busy machine. */
const PATIENCE_MS = 90_000;

export class FaultLab implements AsyncDisposable {
  readonly controlPlane: ControlPlane;
  /** Between the proxy and the API server. */
  readonly relay: Relay;
  readonly product: Product;
  readonly acme: TenantClient;
  /** As the host's administrator, past the proxy and the relay. */
  readonly admin: KubeClient;

  private constructor(controlPlane: ControlPlane, relay: Relay, product: Product) {
    this.controlPlane = controlPlane;
    this.relay = relay;
    this.product = product;
    this.acme = clientOf(product.facts, 'acme');
    this.admin = adminClient(factsOf(controlPlane));
  }

  static async open(options: Omit<ControlPlaneOptions, 'workDir'> = {}): Promise<FaultLab> {
    const controlPlane = await startPrivateControlPlane(options);
    const relay = await openRelay(Number(new URL(controlPlane.server).port));
    const facts = { ...factsOf(controlPlane), server: `https://127.0.0.1:${relay.port}` };
    try {
      return new FaultLab(controlPlane, relay, await startProduct(facts, ['--request-timeout=3s']));
    } catch (error) {
      await relay[Symbol.asyncDispose]();
      await controlPlane.stop();
      throw error;
    }
  }

  async informer(): Promise<OpenWatch> {
    let watch: OpenWatch | undefined;
    await eventually('an informer begins', async () => {
      watch = await this.acme.watch(`${ALL}?${INFORMER}&${SELECTED}`);
      if (watch.status === 200) return true;
      watch[Symbol.dispose]();
      return false;
    });
    await (watch as OpenWatch).until('initial-events-end');
    return watch as OpenWatch;
  }

  /** As the tenant, again until it is done. */
  async make(name: string, data: Record<string, string> = {}): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: LABELS }, data };
    await this.made(MAPS, object);
  }

  /** As the tenant, again until it is there. @throws with the last answer */
  async made(path: string, object: KubeObject): Promise<void> {
    let last = '';
    await eventually(
      () => `${object.metadata.name} is made in ${path}; the last answer was ${last}`,
      async () => {
        const { status, object: said } = await this.acme.write('POST', path, object);
        last = `${status} ${JSON.stringify(said)}`;
        return [201, 409].includes(status);
      },
      PATIENCE_MS,
    );
  }

  /** On the host itself: the proxy need not be able to. */
  async makeOnHost(name: string, data: Record<string, string> = {}): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: LABELS }, data };
    await this.admin.create('/api/v1/namespaces/acme--default/configmaps', object);
  }

  async removeOnHost(name: string): Promise<void> {
    await this.admin.send('DELETE', `/api/v1/namespaces/acme--default/configmaps/${name}`);
  }

  /** Names, sorted; undefined while there is no answer. */
  async names(query = ''): Promise<string[] | undefined> {
    const answer = await this.acme.send(`${ALL}?${SELECTED}&${query}`).catch(() => undefined);
    if (answer?.status !== 200) return undefined;
    const names = jsonOf<KubeObject>(answer).items.map(({ metadata }: KubeObject) => metadata.name as string);
    return names.sort();
  }

  /** Whether what is told from memory is told with a warning. */
  async warns(): Promise<boolean> {
    const { headers, status } = await this.acme.send(`${ALL}?resourceVersion=0`);
    return status === 200 && /^299 - "the cluster cannot be reached/.test(String(headers['warning']));
  }

  /** Until the proxy asks the API server again, and is answered. */
  async recovered(): Promise<void> {
    await eventually(
      'the proxy is back',
      async () => (await this.names()) !== undefined && !(await this.warns()),
      PATIENCE_MS,
    );
  }

  /** Until the informer was told of this one. */
  async told(informer: OpenWatch, name: string): Promise<void> {
    await eventually(
      `the informer is told of ${name}`,
      () => {
        if (informer.ended !== undefined) throw new Error(`it ended (${informer.ended}): ${informer.text.slice(-500)}`);
        return informer.text.includes(`"name":"${name}"`);
      },
      PATIENCE_MS,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.admin.close();
    await this.product.stop();
    await this.relay[Symbol.asyncDispose]();
    await this.controlPlane.stop();
  }
}

/** Type and name of each event; no bookmarks. */
export function eventsOf({ text }: Pick<OpenWatch, 'text'>): string[] {
  return parsed(text)
    .filter(({ type }) => type !== 'BOOKMARK')
    .map(({ type, object }) =>
      type === 'ERROR' ? `ERROR ${object.code} ${object.reason}` : `${type} ${object.metadata.name}`,
    );
}

/** What a client knows that believed every event, sorted. @throws where revisions go back behind the initial events */
export function knownBy({ text }: Pick<OpenWatch, 'text'>): string[] {
  const known = new Set<string>();
  let last = 0n;
  let hasBegun = false;
  for (const { type, object } of parsed(text)) {
    const version = BigInt(object.metadata.resourceVersion);
    if (hasBegun && version < last) throw new Error(`revision ${version} came after ${last}`);
    if (hasBegun) last = version;
    const isEnd = object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
    if (isEnd) [hasBegun, last] = [true, version];
    if (type === 'DELETED') known.delete(object.metadata.name);
    else if (type !== 'BOOKMARK') known.add(object.metadata.name);
  }
  return [...known].sort();
}

function parsed(text: string): KubeObject[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as KubeObject);
}
