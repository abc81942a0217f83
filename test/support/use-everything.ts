/**
 * Uses everything that a virtual cluster has: every verb on every kind and subresource that its discovery tells of, on an
 * object that is there. Nothing is written: writes are dry runs. It shows what the proxy asks of its host for that, and
 * what becomes of it where the host does not let it.
 */
import { nameOf } from '../../src/k8s/meta.ts';
import { isObject, type JsonObject } from '../../src/k8s/types.ts';
import { type ServedKind, servedKinds } from './api.ts';
import { jsonOf, requestOnce } from './http.ts';
import { openUpgrade } from './open-upgrade.ts';
import type { Asking } from './read-everything.ts';

export interface Use {
  /** As the API has it. */
  readonly verb: string;
  /** `apps/deployments/scale` */
  readonly what: string;
  readonly namespaced: boolean;
  /** @returns the status of the answer */
  run(): Promise<number>;
}

const AT_ONCE = 12;
const DRY = 'dryRun=All';
const TUNNELS = new Set(['exec', 'attach', 'portforward']);
const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  '': 'OPTIONS',
};
/** Of subresources that are not read, and take another kind than their object's. */
const BODIES: Readonly<Record<string, (name: string) => JsonObject>> = {
  eviction: (name) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }),
  token: () => ({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
};

/** @param namespace where one object of each namespaced kind is; one of each cluster-scoped kind is there, too */
export async function everyUse(asking: Asking, namespace: string): Promise<Use[]> {
  const read = async (path: string, accept = 'application/json'): Promise<JsonObject> =>
    jsonOf<JsonObject>(await requestOnce({ ...asking, path, headers: { accept } }));
  const kinds = (await servedKinds(read)).filter(({ verbs }) => verbs.includes('list'));
  const uses: Use[][] = [];
  for (const kind of kinds) {
    const collection = kind.collection(kind.namespaced ? namespace : '');
    const { items = [] } = (await read(collection)) as { items?: JsonObject[] };
    const found = items.find((item) => nameOf(item).includes('sample')) ?? items[0] ?? { metadata: { name: 'x' } };
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    const object = { ...found, apiVersion, kind: kind.kind };
    uses.push(
      ofObject(asking, kind, collection, object),
      ofSubresources(asking, kind, `${collection}/${nameOf(object)}`),
    );
  }
  return uses.flat();
}

function ofObject(asking: Asking, kind: ServedKind, collection: string, object: JsonObject): Use[] {
  const one = `${collection}/${nameOf(object)}`;
  const how: Readonly<Record<string, Use['run']>> = {
    get: () => send(asking, 'GET', one),
    list: () => send(asking, 'GET', collection),
    watch: () => send(asking, 'GET', `${collection}?watch=true&timeoutSeconds=1`),
    create: () => send(asking, 'POST', `${collection}?${DRY}`, copyOf(object)),
    update: () => send(asking, 'PUT', `${one}?${DRY}`, object),
    patch: () => applied(asking, one, object),
    delete: () => send(asking, 'DELETE', `${one}?${DRY}`),
    deletecollection: () => send(asking, 'DELETE', `${collection}?${DRY}`),
  };
  const { group, resource, namespaced } = kind;
  return kind.verbs.flatMap((verb) => {
    const run = how[verb];
    return run === undefined ? [] : [{ verb, what: `${group}/${resource}`, namespaced, run }];
  });
}

function ofSubresources(asking: Asking, kind: ServedKind, one: string): Use[] {
  const { group, resource, namespaced } = kind;
  return Object.entries(kind.subresourceVerbs).flatMap(([subresource, verbs]) =>
    verbs.map((verb) => ({
      verb,
      what: `${group}/${resource}/${subresource}`,
      namespaced,
      run: () => ofSubresource(asking, `${one}/${subresource}`, subresource, verb),
    })),
  );
}

async function ofSubresource(asking: Asking, path: string, subresource: string, verb: string): Promise<number> {
  const method = METHODS[verb] ?? verb;
  if (TUNNELS.has(subresource)) {
    const query = subresource === 'portforward' ? 'ports=80' : 'command=true&stdout=true';
    const protocol = verb === 'get' ? 'websocket' : 'SPDY/3.1';
    const { server, caPem = '', certPem, keyPem } = asking;
    const opened = await openUpgrade({
      ...{ server, caPem, certPem, keyPem, protocol },
      path: `${path}?${query}`,
      method: verb === 'get' ? 'GET' : 'POST',
    });
    opened[Symbol.dispose]();
    return opened.status;
  }
  if (subresource === 'proxy') return await send(asking, method, `${path}/`);
  if (verb === 'get') return await send(asking, 'GET', path);
  if (verb === 'patch' && subresource === 'status') return await applied(asking, path, await stored(asking, path));
  const own = BODIES[subresource];
  const body =
    verb === 'patch' ? {} : own === undefined ? await stored(asking, path) : own(path.split('/').at(-2) ?? '');
  return await send(asking, method, `${path}?${DRY}`, body);
}

/** By an apply, which of every kind is a patch on the host, too. */
async function applied(asking: Asking, path: string, { apiVersion, kind, metadata }: JsonObject): Promise<number> {
  const name = nameOf({ metadata } as JsonObject);
  const body = { apiVersion, kind, metadata: { name } } as JsonObject;
  return await send(asking, 'PATCH', `${path}?${DRY}&fieldManager=uses`, body, 'application/apply-patch+yaml');
}

async function stored(asking: Asking, path: string): Promise<JsonObject> {
  return jsonOf<JsonObject>(await requestOnce({ ...asking, path }));
}

async function send(
  asking: Asking,
  method: string,
  path: string,
  body?: JsonObject,
  type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
): Promise<number> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': type } };
  return (await requestOnce({ ...asking, method, path, ...sent })).status;
}

/** Runs them all. @returns those that were answered otherwise than they should be, each with its status */
export async function useAll(uses: readonly Use[], isRight: (status: number) => boolean): Promise<string[]> {
  const wrong: string[] = [];
  const left = [...uses];
  const run = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const status = await next.run();
      if (!isRight(status)) wrong.push(`${next.verb} ${next.what}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return wrong.sort();
}

/** The same under another name, as somebody makes it: no claim chooses its volume. */
function copyOf({ metadata, spec, ...object }: JsonObject): JsonObject {
  const { namespace, labels = {} } = metadata as JsonObject;
  const name = `${nameOf({ metadata } as JsonObject)}-2`;
  const copied = { ...object, metadata: { name, labels, ...(namespace !== undefined && { namespace }) } };
  if (!isObject(spec)) return spec === undefined ? copied : { ...copied, spec };
  const { volumeName: _chosen, ...rest } = spec;
  return { ...copied, spec: rest };
}
