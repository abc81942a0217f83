/** Where audit events go, of requests and of what the host asks: one place for all. */
import { type AuditEntry, auditRequest } from '../audit/audit.ts';
import { auditEvent } from '../audit/event.ts';
import { logger } from '../observe/log.ts';

/** Told of what lasts when it begins, without what was written, and of everything when it has ended. */
export type AuditWriter = (entry: AuditEntry) => void;

/** @param auditTo takes events, each as JSON; into the log as a line when there is no such place */
export function createAuditWriter(auditTo: ((event: string) => void) | undefined): AuditWriter {
  if (auditTo === undefined) {
    const log = logger('audit');
    return (entry) => auditRequest(log, entry);
  }
  return (entry) => {
    const stage = entry.written === undefined ? 'ResponseStarted' : 'ResponseComplete';
    auditTo(JSON.stringify(auditEvent(entry, stage, Date.now())));
  };
}
