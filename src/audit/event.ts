/**
 * One request as an `audit.k8s.io/v1` Event of level `Metadata`, so that whatever reads the audit log of an API server
 * reads this: who asked, as whom, for what, what the tenant's roles said and what the answer was. What the format has no
 * field for is in annotations below `kubeveil.dev/`. Names are as the tenant sees them; no header, no body, no object.
 *
 * @see https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
 */
import type { Identity, RequestInfo } from '../exchange.ts';
import { logged } from '../observe/log.ts';
import type { AuditEntry } from './audit.ts';
import { requestUri } from './request-uri.ts';

/** `ResponseStarted` is told of answers that last, when they begin; `ResponseComplete` of all. */
export type Stage = 'ResponseStarted' | 'ResponseComplete';

const OWN = 'kubeveil.dev';
const MAX_GROUPS = 500;

/** @param nowMs epoch milliseconds */
export function auditEvent(entry: AuditEntry, stage: Stage, nowMs: number): object {
  const { head, info, identity, written } = entry;
  const sender = identity?.impersonator ?? identity;
  const received = new Date(nowMs - entry.durationMs);
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: head.id,
    stage,
    requestURI: requestUri(head.target, info?.isResource !== true || info.rawQuery === undefined),
    verb: info?.verb ?? head.method.toLowerCase(),
    user: userOf(sender),
    ...(identity?.impersonator === undefined ? {} : { impersonatedUser: userOf(identity) }),
    sourceIPs: [entry.remoteAddress],
    userAgent: logged(head.headers.get('user-agent')),
    ...(info?.isResource ? { objectRef: objectRef(info) } : {}),
    ...(written === undefined ? {} : { responseStatus: { metadata: {}, code: written.status, reason: written.why } }),
    requestReceivedTimestamp: microTime(received),
    stageTimestamp: microTime(new Date(nowMs)),
    annotations: annotationsOf(entry),
  };
}

function userOf(identity: Omit<Identity, 'impersonator'> | undefined): object {
  if (identity === undefined) return {};
  const { username, uid, groups, extra } = identity;
  const shown = Object.entries(extra).map(([key, values]) => [logged(key) ?? '', values.map((value) => logged(value))]);
  return {
    username: logged(username),
    ...(uid === '' ? {} : { uid: logged(uid) }),
    groups: groups.slice(0, MAX_GROUPS).map((group) => logged(group)),
    ...(shown.length === 0 ? {} : { extra: Object.fromEntries(shown) }),
  };
}

function objectRef(info: Extract<RequestInfo, { isResource: true }>): object {
  const { group, version, resource, subresource, namespace, name } = info;
  return {
    resource: logged(resource),
    ...(namespace === '' ? {} : { namespace: logged(namespace) }),
    ...(name === '' ? {} : { name: logged(name) }),
    ...(group === '' ? {} : { apiGroup: logged(group) }),
    apiVersion: logged(version, 32),
    ...(subresource === '' ? {} : { subresource: logged(subresource) }),
  };
}

function annotationsOf({ tenant, how, allowedBy, written, durationMs, head }: AuditEntry): Record<string, string> {
  const decision = allowedBy !== undefined ? 'allow' : written?.why === 'rbac' ? 'forbid' : undefined;
  const upstream = head.trail?.upstreamStatus;
  const given = {
    'authorization.k8s.io/decision': decision,
    'authorization.k8s.io/reason': decision === undefined ? undefined : (logged(allowedBy) ?? ''),
    [`${OWN}/tenant`]: tenant?.id,
    [`${OWN}/tenant-uid`]: tenant?.uid,
    [`${OWN}/credential`]: how,
    [`${OWN}/latency-ms`]: durationMs.toFixed(1),
    [`${OWN}/response-bytes`]: written === undefined ? undefined : String(written.bodyBytes),
    [`${OWN}/upstream-status`]: upstream === undefined ? undefined : String(upstream),
  };
  return Object.fromEntries(Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** `metav1.MicroTime` */
function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}
