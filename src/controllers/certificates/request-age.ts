/**
 * How long a CertificateSigningRequest is kept: what nobody looks at any more goes, as kube-controller-manager has it go.
 * @see k8s.io/kubernetes pkg/controller/certificates/cleaner/cleaner.go at v1.36
 */
import { X509Certificate } from 'node:crypto';
import { metadataOf } from '../../k8s/meta.ts';
import { child, objects, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';

const HOUR_MS = 3_600_000;
const SETTLED_MS = HOUR_MS;
const WAITING_MS = 24 * HOUR_MS;

/** When the request is to go, in epoch milliseconds; undefined while that is not known. */
export function requestEndsAtMs(request: JsonObject): number | undefined {
  const status = child(request, 'status');
  const conditions = objects(status, 'conditions');
  const certificate = text(status, 'certificate');
  if (conditions.length === 0) return after(text(metadataOf(request), 'creationTimestamp'), WAITING_MS);
  const ends = conditions.map((condition) => {
    const changed = text(condition, 'lastUpdateTime');
    if (condition['type'] === 'Denied' || condition['type'] === 'Failed') return after(changed, SETTLED_MS);
    if (condition['type'] !== 'Approved') return undefined;
    if (certificate === '') return after(changed, WAITING_MS);
    return earliest([after(changed, SETTLED_MS), expiryMs(certificate)]);
  });
  return earliest(ends);
}

function after(time: string, ms: number): number | undefined {
  const at = Date.parse(time);
  return Number.isNaN(at) ? undefined : at + ms;
}

function earliest(times: ReadonlyArray<number | undefined>): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function expiryMs(certificate: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo);
  } catch {
    return undefined;
  }
}
