/**
 * Keeps the proxy's own objects of one kind in a namespace of a tenant as they should be: made when absent, mended when
 * changed by hand, deleted when they are not wanted any more. What the informer knows decides, so that what is right costs
 * no request.
 */
import { nameOf, uidOf, versionOf } from '../../k8s/meta.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { sameJson } from '../../lib/same-json.ts';
import { GUARD } from '../../tenancy/host-names.ts';
import type { TenantId } from '../../tenancy/names.ts';
import { type HostClient, unless } from '../../upstream/host-client.ts';

export interface GuardKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Path of the collection in a namespace. */
  path(namespace: string): string;
  /** Those there are, guards only. */
  readonly known: KnownGuards;
  /** After one has been made or mended. */
  readonly onWritten?: (object: JsonObject) => Promise<void>;
}

export interface KnownGuards {
  inNamespace(namespace: string): Iterable<JsonObject>;
  note(object: JsonObject): void;
}

/** @param wanted specs by name. Resolves with true when something had to be done */
export async function keepObjects(
  client: HostClient,
  of: GuardKind,
  { tenant, namespace }: { readonly tenant: TenantId; readonly namespace: string },
  wanted: ReadonlyMap<string, JsonObject>,
): Promise<boolean> {
  const work: Promise<unknown>[] = [];
  const there = new Map(Iterator.from(of.known.inNamespace(namespace)).map((object) => [nameOf(object), object]));
  for (const [name, spec] of wanted) {
    const known = there.get(name);
    if (known !== undefined && sameJson(known['spec'] ?? {}, spec)) continue;
    const { apiVersion, kind } = of;
    const metadata = { name, namespace, labels: { [GUARD]: tenant } };
    const object: JsonObject = { apiVersion, kind, metadata, spec };
    work.push(known === undefined ? make(object) : replace(known, object));
  }
  for (const [name, known] of there) {
    if (!wanted.has(name)) work.push(client.remove(`${of.path(namespace)}/${name}`, uidOf(known)));
  }
  await Promise.all(work);
  return work.length > 0;

  async function make(object: JsonObject): Promise<void> {
    const path = of.path(namespace);
    const made = await client.create(path, object).catch(unless(409));
    // Another replica was faster, or somebody had the name before it was kept for guards.
    await written(made ?? (await client.apply(`${path}/${nameOf(object)}`, object)));
  }

  async function replace(known: JsonObject, object: JsonObject): Promise<void> {
    // The whole spec: what somebody added by hand goes.
    const patch = [
      { op: 'test', path: '/metadata/resourceVersion', value: versionOf(known) },
      { op: 'replace', path: '/spec', value: object['spec'] ?? {} },
    ];
    await written(await client.patch(`${of.path(namespace)}/${nameOf(object)}`, patch));
  }

  async function written(object: JsonObject): Promise<void> {
    of.known.note(object);
    await of.onWritten?.(object);
  }
}
