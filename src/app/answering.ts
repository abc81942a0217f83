/** The last stages: the answer or the refusal of a request as it was asked for, and its line in the audit log. */
import { ApiError } from '../errors.ts';
import type { Accept } from '../exchange.ts';
import { logger } from '../observe/log.ts';
import type { Known, Stages } from '../pipeline.ts';
import { negotiateError } from '../requestinfo/accept.ts';
import type { Sink } from '../respond/sink.ts';
import { countWaitingBytes } from '../respond/waiting.ts';
import { type Answering, writeError, writeReply } from '../respond/write.ts';
import type { AuditWriter } from './audit-writer.ts';

export function createAnswering(writeAudit: AuditWriter): Pick<Stages, 'respond' | 'refuse' | 'audit'> {
  const respondLog = logger('respond');
  const waitingOf = countWaitingBytes();

  function answering(known: Known): Answering {
    const { head } = known.incoming;
    const acceptError = (): Accept =>
      negotiateError(head.headers.get('accept'), known.info?.query, head.headers.get('user-agent'));
    return {
      id: head.id,
      method: head.method,
      accept: known.accept ?? acceptError(),
      // Most answers are none.
      get acceptError() {
        return acceptError();
      },
      acceptEncoding: head.headers.get('accept-encoding'),
      signal: head.signal,
      until: known.incoming.draining,
      held: known.held,
      connection: known.incoming.connection,
      waiting: known.tenant && waitingOf(known.tenant.uid),
      log: respondLog,
    };
  }

  return {
    respond: (known, reply) => writeReply(sinkOf(known), reply, answering(known)),
    async refuse(known, error) {
      const written = await writeError(sinkOf(known), error, answering(known));
      return { ...written, why: error instanceof ApiError ? error.why : 'fault' };
    },
    audit(known, written) {
      const { incoming, info, authenticated, identity, tenant, allowedBy, startedMs } = known;
      writeAudit({
        head: incoming.head,
        remoteAddress: incoming.remoteAddress,
        info,
        identity: identity ?? authenticated?.identity,
        tenant,
        how: authenticated?.how,
        allowedBy,
        written,
        durationMs: performance.now() - startedMs,
      });
    },
  };
}

/** Node's HTTP/2 response has `flushHeaders` too; only its type lacks it. */
function sinkOf(known: Known): Sink {
  return known.incoming.response as Sink;
}
