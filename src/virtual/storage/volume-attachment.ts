/**
 * What kube-apiserver refuses in a VolumeAttachment, in its own words and order.
 * @see k8s.io/kubernetes pkg/apis/storage/validation/validation.go at v1.36
 */
import { isDeepStrictEqual } from 'node:util';
import { type FieldProblem, forbiddenField, invalidValue, required, tooLong } from '../../k8s/field-problems.ts';
import { DNS_SUBDOMAIN } from '../../k8s/name-rules.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { isSet, nameFaults, number } from '../field-checks.ts';
import { IMMUTABLE } from './csi-driver.ts';
import { driverNameProblems } from './csi-node.ts';
import { inlineVolumeProblems } from './inline-volume.ts';

const MAX_METADATA = 256 * 1024;
const MAX_MESSAGE = 1024;

export function volumeAttachmentProblems(attachment: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  const spec = child(attachment, 'spec');
  const volume = text(child(spec, 'source'), 'persistentVolumeName');
  const problems = [
    ...driverNameProblems(text(spec, 'attacher'), 'spec.attacher'),
    ...sourceProblems(child(spec, 'source'), 'spec.source'),
    ...nameFaults('spec.nodeName', text(spec, 'nodeName'), DNS_SUBDOMAIN),
    ...attachmentStatusProblems(attachment),
    ...(isSet(child(spec, 'source'), 'persistentVolumeName')
      ? nameFaults('spec.source.persistentVolumeName', volume, DNS_SUBDOMAIN)
      : []),
  ];
  if (previous !== undefined && !isDeepStrictEqual(spec, child(previous, 'spec'))) {
    problems.push(invalidValue('spec', spec, IMMUTABLE));
  }
  return problems;
}

export function attachmentStatusProblems(attachment: JsonObject): FieldProblem[] {
  const status = child(attachment, 'status');
  const metadata = Object.entries(child(status, 'attachmentMetadata'));
  const bytes = metadata.reduce((sum, [key, value]) => sum + Buffer.byteLength(`${key}${value}`), 0);
  return [
    ...(bytes > MAX_METADATA ? [tooLong('status.attachmentMetadata', MAX_METADATA)] : []),
    ...['attachError', 'detachError'].flatMap((key) => errorProblems(child(status, key), `status.${key}`)),
  ];
}

function sourceProblems(source: JsonObject, field: string): FieldProblem[] {
  const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  const [hasInline, hasName] = [isSet(source, 'inlineVolumeSpec'), isSet(source, 'persistentVolumeName')];
  if (!hasInline && !hasName) return [required(field, detail)];
  if (hasInline && hasName) return [forbiddenField(field, detail)];
  if (hasInline) return inlineVolumeProblems(child(source, 'inlineVolumeSpec'), `${field}.inlineVolumeSpec`);
  if (text(source, 'persistentVolumeName') !== '') return [];
  return [required(`${field}.persistentVolumeName`, 'must specify non empty persistentVolumeName')];
}

function errorProblems(error: JsonObject, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (Buffer.byteLength(text(error, 'message')) > MAX_MESSAGE) {
    // The limit that is named is not the one that holds, as in the API server.
    problems.push(tooLong(`${field}.message`, MAX_METADATA));
  }
  const code = number(error, 'errorCode') ?? 0;
  if (code < 0) problems.push(invalidValue(`${field}.errorCode`, code, 'must be between 0 and 2147483647, inclusive'));
  return problems;
}
