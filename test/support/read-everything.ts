/**
 * Reads everything that a virtual cluster has: every kind and subresource that its discovery tells of, in a namespace that
 * is not there, and over all. What is answered does not matter here, but what the proxy asked of its host for it.
 */
import { type ServedKind, servedKinds } from './api.ts';
import { jsonOf, type RawRequest, requestOnce } from './http.ts';

export type Asking = Pick<RawRequest, 'server' | 'caPem' | 'certPem' | 'keyPem'>;

/** No namespace of this name is ever made. */
const NOWHERE = 'nowhere';
const AT_ONCE = 12;

/** @param asking who asks, and where */
export async function readEverything(asking: Asking): Promise<void> {
  const kinds = await servedKinds(async (path, accept) =>
    jsonOf(await requestOnce({ ...asking, path, headers: { accept } })),
  );
  const left = kinds.flatMap(pathsOf);
  const run = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) await requestOnce({ ...asking, path });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}

function pathsOf(kind: ServedKind): string[] {
  const all = kind.collection();
  const collection = kind.collection(kind.namespaced ? NOWHERE : '');
  const one = `${collection}/x`;
  const watch = 'watch=true&timeoutSeconds=1';
  return [
    all,
    `${all}?resourceVersion=0`,
    `${all}?${watch}`,
    ...(kind.namespaced ? [collection, `${collection}?${watch}`] : []),
    one,
    ...kind.subresources.map((subresource) => `${one}/${subresource}`),
  ];
}
