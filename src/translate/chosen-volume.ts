/**
 * A claim that names its volume when it is made. The host's binder would bind it to any volume that is free, also to one
 * that is kept for somebody else. Afterwards the name is the binder's to write, and a wall on the host holds tenants to
 * that (deploy/57-wall-claims.yaml): of a patch or a PUT only the host can tell whether the name changes.
 *
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reserving-a-persistentvolume
 */
import { invalid } from '../errors.ts';
import { forbiddenField } from '../k8s/field-problems.ts';
import { nameOf } from '../k8s/meta.ts';
import { child } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import { VOLUMES } from '../kinds/refs.ts';
import type { Scope } from './scope.ts';
import { referencedKind } from './targets/name.ts';

/** Why, for a refusal. */
export const CHOSEN_VOLUME = 'the cluster chooses the volume of a claim; leave it out';

/** @throws {ApiError} ERR_INVALID for a claim that is to be made with a volume, unless that is the tenant's own */
export function refuseChosenVolume(object: JsonObject, { kind }: KindAtVersion, scope: Scope): void {
  if (kind.group !== '' || kind.resource !== 'persistentvolumeclaims') return;
  const { volumeName } = child(object, 'spec');
  if (typeof volumeName !== 'string' || volumeName === '') return;
  const holdsVolumes = referencedKind(VOLUMES, scope)?.class === 'mixed';
  if (holdsVolumes && !scope.namesHost(VOLUMES, volumeName)) return;
  const of = { group: kind.group, what: kind.kind, name: nameOf(object) };
  throw invalid(of, [forbiddenField('spec.volumeName', CHOSEN_VOLUME)]);
}
