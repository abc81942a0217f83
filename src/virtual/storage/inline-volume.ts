/**
 * What kube-apiserver refuses in a volume that is written into a VolumeAttachment: only CSI volumes may be. Volumes of other
 * types are refused for the lack of one, and their own fields are not looked at.
 *
 * @see k8s.io/kubernetes pkg/apis/core/validation/validation.go (ValidatePersistentVolumeSpec) at v1.36
 */
import { type FieldProblem, forbiddenField, notSupported, required } from '../../k8s/field-problems.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { isSet, words } from '../field-checks.ts';
import { driverNameProblems } from './csi-node.ts';

const CONTEXT = 'in the context of inline volumes';
const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

export function inlineVolumeProblems(volume: JsonObject, path: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const unless = (field: string, isWrong: boolean, what = 'may not be specified') => {
    if (isWrong) problems.push(forbiddenField(`${path}.${field}`, `${what} ${CONTEXT}`));
  };
  unless('claimRef', isSet(volume, 'claimRef'));
  unless('capacity', Object.keys(child(volume, 'capacity')).length > 0);
  if (!isSet(volume, 'csi')) problems.push(required(`${path}.csi`, `has to be specified ${CONTEXT}`));
  problems.push(...accessModeProblems(words(volume, 'accessModes'), `${path}.accessModes`));
  const reclaim = text(volume, 'persistentVolumeReclaimPolicy');
  unless('persistentVolumeReclaimPolicy', reclaim !== '' && reclaim !== 'Retain', 'may only be Retain');
  unless('nodeAffinity', isSet(volume, 'nodeAffinity'));
  if (isSet(volume, 'csi')) problems.push(...csiProblems(child(volume, 'csi'), `${path}.csi`));
  else problems.push(required(path, 'must specify a volume type'));
  unless('storageClassName', text(volume, 'storageClassName') !== '');
  const mode = text(volume, 'volumeMode');
  unless('volumeMode', mode !== '' && mode !== 'Filesystem', 'may not specify volumeMode other than Filesystem');
  return problems;
}

function accessModeProblems(modes: readonly string[], field: string): FieldProblem[] {
  const problems = modes.filter((mode) => !MODES.includes(mode)).map((mode) => notSupported(field, mode, MODES));
  if (modes.length === 0) problems.push(required(field));
  const known = new Set(modes.filter((mode) => MODES.includes(mode)));
  if (known.has('ReadWriteOncePod') && known.size > 1) {
    problems.push(forbiddenField(field, 'may not use ReadWriteOncePod with other access modes'));
  }
  return problems;
}

function csiProblems(csi: JsonObject, path: string): FieldProblem[] {
  const problems = driverNameProblems(text(csi, 'driver'), `${path}.driver`);
  return text(csi, 'volumeHandle') === '' ? [...problems, required(`${path}.volumeHandle`)] : problems;
}
