/**
 * The host-diff check: whatever a tenant does, no object of the host or of another tenant changes. Reads every object
 * of every kind that the host serves, before and after, and compares them by uid and content.
 *
 * What changes by itself is left out by the list below, each entry with its reason. Nothing else is.
 */
import { createHash } from 'node:crypto';
import type { KubeClient } from '../../src/dev/kube-client.ts';
import { isObject, type JsonObject } from '../../src/k8s/types.ts';
import { eventually } from './processes.ts';

/** `apps/deployments default/web` -> a hash of its content. */
export type Dump = ReadonlyMap<string, string>;

interface Noise {
  readonly reason: string;
  readonly matches: (resource: string, object: JsonObject) => boolean;
}

/** The bookkeeping that the proxy does on the host for the tenant: objects that it keeps, by name. */
const BOOKKEEPING = new Set([
  'rbac.authorization.k8s.io/clusterroles kubeveil:impersonation',
  'rbac.authorization.k8s.io/clusterroles kubeveil:reader-custom',
]);

const NOISE: readonly Noise[] = [
  { reason: 'leases are renewed every few seconds', matches: (resource) => resource === 'coordination.k8s.io/leases' },
  {
    reason: 'events are written and expire by themselves',
    matches: (resource) => resource === '/events' || resource === 'events.k8s.io/events',
  },
  {
    reason: 'what pods and nodes use is measured all the time',
    matches: (resource) => resource.startsWith('metrics.k8s.io/'),
  },
  { reason: 'reads of it differ by what the machine does', matches: (resource) => resource === '/componentstatuses' },
];

/**
 * All objects of the host that are not the tenant's.
 * @param tenant whose own objects are left out
 */
async function dumpHost(host: KubeClient, tenant: string): Promise<Dump> {
  const dump = new Map<string, string>();
  for (const { root, resource, key } of await listable(host)) {
    for (const object of await itemsOf(host, `${root}/${resource}`)) {
      if (isOwn(key, object, tenant) || NOISE.some((noise) => noise.matches(key, object))) continue;
      const id = `${key} ${idOf(object)}`;
      if (!BOOKKEEPING.has(id)) dump.set(id, hashOf(key, object));
    }
  }
  if (dump.size < 50) throw new Error(`only ${dump.size} objects of the host were read: the check would prove nothing`);
  return dump;
}

/** `+ key` for new objects, `- key` for missing ones, `~ key` for changed ones. */
function differences(before: Dump, after: Dump): string[] {
  const changed: string[] = [];
  for (const [key, hash] of before) {
    const now = after.get(key);
    if (now === undefined) changed.push(`- ${key}`);
    else if (now !== hash) changed.push(`~ ${key}`);
  }
  for (const key of after.keys()) if (!before.has(key)) changed.push(`+ ${key}`);
  return changed.sort();
}

/**
 * Runs `act` and shows that nothing outside of the tenant's own changed.
 * @throws {Error} which names every object that did
 */
export async function expectHostUnchanged<T>(host: KubeClient, tenant: string, act: () => Promise<T>): Promise<T> {
  const before = await settled(host, tenant);
  const result = await act();
  const changed = differences(before, await settled(host, tenant));
  if (changed.length > 0) throw new Error(`objects outside of the tenant changed:\n  ${changed.join('\n  ')}`);
  return result;
}

/** A dump taken when controllers have come to rest: two in a row are the same. */
async function settled(host: KubeClient, tenant: string): Promise<Dump> {
  let last = await dumpHost(host, tenant);
  await eventually('the host comes to rest', async () => {
    const next = await dumpHost(host, tenant);
    const same = differences(last, next).length === 0;
    last = next;
    return same;
  });
  return last;
}

interface Listable {
  readonly root: string;
  readonly resource: string;
  /** `apps/deployments`; the core group has an empty name. */
  readonly key: string;
}

async function listable(host: KubeClient): Promise<Listable[]> {
  const found: Listable[] = [];
  for (const path of ['/api', '/apis']) {
    const { body } = await host.send('GET', path);
    const groups = path === '/api' ? [{ name: '', preferredVersion: { groupVersion: 'v1' } }] : (body as Groups).groups;
    for (const { name, preferredVersion } of groups) {
      const root = name === '' ? '/api/v1' : `/apis/${preferredVersion.groupVersion}`;
      const answer = await host.send('GET', root);
      if (answer.status !== 200) continue;
      for (const { name: resource, verbs } of (answer.body as Resources).resources) {
        if (verbs.includes('list') && !resource.includes('/'))
          found.push({ root, resource, key: `${name}/${resource}` });
      }
    }
  }
  return found;
}

interface Groups {
  groups: { name: string; preferredVersion: { groupVersion: string } }[];
}

interface Resources {
  resources: { name: string; verbs: string[] }[];
}

async function itemsOf(host: KubeClient, path: string): Promise<JsonObject[]> {
  let found: JsonObject[] = [];
  await eventually(`GET ${path} is answered`, async () => {
    const { status, body } = await host.send('GET', path);
    // A custom kind that is new is answered with 429 until the server has read its objects.
    if (status === 429) return false;
    // One may also go while the host is read.
    if (status !== 404 && (status !== 200 || !isObject(body)))
      throw new Error(`GET ${path} was answered with ${status}`);
    found = isObject(body) && Array.isArray(body['items']) ? body['items'].filter(isObject) : [];
    return true;
  });
  return found;
}

/** By every trait that says whose an object is on the host. Custom groups of the tenant are its own as a whole. */
function isOwn(key: string, object: JsonObject, tenant: string): boolean {
  const prefix = `${tenant}--`;
  const { name, namespace, labels } = metadata(object);
  if (key.startsWith(prefix) || namespace?.startsWith(prefix) === true || name.startsWith(prefix)) return true;
  if (labels?.['kubeveil.dev/tenant'] === tenant) return true;
  if (key === 'kubeveil.dev/tenants' && name === tenant) return true;
  if (name === `kubeveil:custom:${tenant}` || name === `tenant-ca-${tenant}`) return true;
  const spec = isObject(object['spec']) ? object['spec'] : {};
  // A CRD is named `plural.group`, an APIService `version.group`: the group holds the prefix.
  if (typeof spec['group'] === 'string' && spec['group'].startsWith(prefix)) return true;
  // Made by the host for the tenant's: a volume of its claim, the address of its service.
  for (const owner of [spec['claimRef'], spec['parentRef']]) {
    if (isObject(owner) && typeof owner['namespace'] === 'string' && owner['namespace'].startsWith(prefix)) return true;
  }
  return false;
}

function metadata(object: JsonObject): { name: string; namespace?: string; labels?: Record<string, string> } {
  return object['metadata'] as never;
}

function idOf(object: JsonObject): string {
  const { name, namespace } = metadata(object);
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Kinds whose status the host's own controllers write again and again: heartbeats of nodes, the state of autoscalers. */
const RESTLESS_STATUS = new Set(['/nodes', 'autoscaling/horizontalpodautoscalers']);

/** Of all that an object says, but for what its keeper writes again and again. */
function hashOf(key: string, object: JsonObject): string {
  const { resourceVersion: _version, managedFields: _fields, ...rest } = object['metadata'] as JsonObject;
  const { status, ...body } = object;
  const content = RESTLESS_STATUS.has(key) ? { ...body, metadata: rest } : { ...body, status, metadata: rest };
  return createHash('sha256').update(JSON.stringify(content)).digest('base64');
}
