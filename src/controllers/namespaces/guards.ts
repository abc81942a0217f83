/**
 * Keeps one guard RoleBinding as it should be: made when absent, mended when changed by hand, made again when deleted
 * by hand. What the informer knows decides, so that a guard which is right costs no request.
 */

import type { Informer } from '../../k8s/informer.ts';
import { finalizersOf, isTerminating, labelsOf, nameOf, namespaceOf, uidOf, versionOf } from '../../k8s/meta.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { sameJson } from '../../lib/same-json.ts';
import { GUARD } from '../../tenancy/host-names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import { HostError, unless } from '../../upstream/host-client.ts';
import { PATHS } from '../host/host-objects.ts';

/** @returns true when it had to be made or mended, so that it must be proven again */
export async function ensureGuard(client: HostClient, guards: Informer, wanted: JsonObject): Promise<boolean> {
  const path = pathOf(wanted);
  const known = guards.get(namespaceOf(wanted), nameOf(wanted));
  if (known === undefined) {
    try {
      guards.note(await client.create(PATHS.bindings(namespaceOf(wanted)), wanted));
      return true;
    } catch (error) {
      if (!(error instanceof HostError) || error.reason !== 'AlreadyExists') throw error;
    }
  }
  const stored = known ?? (await client.get(path));
  if (stored === undefined) throw new Error(`${path} came and went; trying again`);
  if (isTerminating(stored)) {
    await letGo(client, stored);
    throw new Error(`${path} was deleted by somebody; making it again`);
  }
  if (!sameJson(stored['roleRef'], wanted['roleRef'])) {
    // A roleRef cannot be changed.
    await removeGuard(client, stored);
    throw new Error(`${path} names another role; making it again`);
  }
  if (sameJson(stored['subjects'], wanted['subjects']) && isMarked(stored, wanted)) {
    guards.note(stored);
    return false;
  }
  const { subjects, metadata } = wanted;
  const { labels, finalizers } = metadata as { labels: JsonObject; finalizers: string[] };
  const patch = { subjects, metadata: { labels, finalizers, resourceVersion: versionOf(stored) } } as JsonObject;
  guards.note(await client.merge(path, patch));
  return true;
}

/** Deletes a guard, whose finalizer is ours to take off. */
export async function removeGuard(client: HostClient, guard: JsonObject): Promise<void> {
  await client.remove(pathOf(guard), uidOf(guard));
  const rest = await client.get(pathOf(guard));
  if (rest !== undefined && uidOf(rest) === uidOf(guard)) await letGo(client, rest);
}

/** Takes our finalizer off. One that changed meanwhile is left: its event brings the namespace up again. */
export async function letGo(client: HostClient, guard: JsonObject): Promise<void> {
  const finalizers = finalizersOf(guard).filter((finalizer) => finalizer !== GUARD);
  const patch = { metadata: { finalizers, resourceVersion: versionOf(guard) } };
  await client.merge(pathOf(guard), patch).catch(unless(404, 409));
}

function pathOf(guard: JsonObject): string {
  return `${PATHS.bindings(namespaceOf(guard))}/${nameOf(guard)}`;
}

function isMarked(stored: JsonObject, wanted: JsonObject): boolean {
  return labelsOf(stored)[GUARD] === labelsOf(wanted)[GUARD] && finalizersOf(stored).includes(GUARD);
}
