/**
 * One log line for each request, whatever became of it: who asked for what, and what the answer was. Under the same id
 * the client has the Audit-ID header, and the host's own audit log the upstream requests.
 *
 * No header, body or query value is in it but what a list of verbs and names needs; what the client chose is cut in
 * length and escaped by JSON.
 */
import type { Authenticated, Identity, RequestHead, RequestInfo, Written } from '../exchange.ts';
import { type Logger, logged } from '../observe/log.ts';
import type { Tenant } from '../tenancy/tenant.ts';

export interface AuditEntry {
  readonly head: RequestHead;
  readonly remoteAddress: string;
  /** As far as the request came. */
  readonly info?: RequestInfo | undefined;
  readonly identity?: Identity | undefined;
  readonly tenant?: Pick<Tenant, 'id' | 'uid'> | undefined;
  /** What sort of credential it came with. */
  readonly how?: Authenticated['how'] | undefined;
  /** Why the tenant's roles allow it; undefined where they were not asked or do not. */
  readonly allowedBy?: string | undefined;
  /** Undefined while the answer is still going out. */
  readonly written: Written | undefined;
  readonly durationMs: number;
}

/** For whom the audit has no place of its own. */
export function auditRequest(log: Logger, entry: AuditEntry): void {
  const { head, info, identity, written } = entry;
  // What lasts is told once, at its end.
  if (written === undefined) return;
  const upstream = head.trail?.upstreamStatus;
  log.info(
    {
      id: head.id,
      from: entry.remoteAddress,
      agent: logged(head.headers.get('user-agent'), 128),
      tenant: entry.tenant?.id,
      user: logged((identity?.impersonator ?? identity)?.username),
      ...(identity?.impersonator === undefined ? {} : { as: logged(identity.username) }),
      ...(entry.how === undefined ? {} : { by: entry.how }),
      ...(info === undefined ? { method: head.method, path: pathOf(head.target) } : what(info)),
      ...decisionOf(entry),
      status: written.status,
      ...(upstream === undefined ? {} : { upstream }),
      bytes: written.bodyBytes,
      ms: Math.round(entry.durationMs * 10) / 10,
      ...(written.why === undefined ? {} : { why: written.why }),
    },
    'request',
  );
}

/** What the tenant's own roles said; nothing where they were not asked. */
function decisionOf({ allowedBy, written }: AuditEntry): Record<string, string | undefined> {
  if (allowedBy !== undefined) return { decision: 'allow', ...(allowedBy === '' ? {} : { reason: logged(allowedBy) }) };
  return written?.why === 'rbac' ? { decision: 'deny' } : {};
}

function what(info: RequestInfo): Record<string, string | undefined> {
  if (!info.isResource) return { verb: info.verb, path: logged(info.path) };
  const { verb, group, version, resource, subresource, namespace, name } = info;
  return {
    verb,
    group: logged(group),
    version: logged(version, 32),
    resource: logged(subresource === '' ? resource : `${resource}/${subresource}`),
    ...(namespace === '' ? {} : { namespace: logged(namespace) }),
    ...(name === '' ? {} : { name: logged(name) }),
  };
}

/** Without the query, which may hold a token that somebody put there. */
function pathOf(target: string): string | undefined {
  return logged(target.split('?', 1)[0]);
}
