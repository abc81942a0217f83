/** Where audit events go besides the log: a file or stdout, and a webhook. */
import { readFileSync } from 'node:fs';
import { createAuditWebhook } from '../audit/webhook.ts';
import { openLines } from '../observe/lines-file.ts';
import type { Logger } from '../observe/log.ts';
import { fileCredentials } from '../upstream/host-connection.ts';
import { createUpstream } from '../upstream/upstream.ts';

export interface AuditSinksOptions {
  /** `-` for stdout. */
  readonly file?: string | undefined;
  readonly webhook?: string | undefined;
  /** Files: the webhook's CA, and a bearer token for it. */
  readonly webhookCa?: string | undefined;
  readonly webhookToken?: string | undefined;
  readonly log: Logger;
}

export interface AuditSinks extends AsyncDisposable {
  /** Undefined where no sink is set. @param event as JSON */
  readonly write: ((event: string) => void) | undefined;
  /** After the file was moved away. */
  reopen(): void;
}

/** @throws {Error} when a file that is named cannot be opened */
export function openAuditSinks({ file, webhook, log, ...options }: AuditSinksOptions): AuditSinks {
  const lines =
    file === undefined
      ? undefined
      : openLines({ path: file, onFault: (why, lost) => log.error({ file, why, lost }, 'audit events in the file') });
  const hook = webhook === undefined ? undefined : openWebhook(webhook, { ...options, log });
  const writes = [lines?.write, hook?.write].filter((write) => write !== undefined);
  return {
    write:
      writes.length === 0
        ? undefined
        : (event) => {
            for (const write of writes) write(event);
          },
    reopen: () => lines?.reopen(),
    async [Symbol.asyncDispose]() {
      await Promise.all([lines?.flush(), hook?.close()]);
    },
  };
}

function openWebhook(url: string, { webhookCa, webhookToken, log }: Omit<AuditSinksOptions, 'file' | 'webhook'>) {
  const { origin, pathname, search } = new URL(url);
  const upstream = createUpstream({
    server: origin,
    caPem: webhookCa === undefined ? undefined : readFileSync(webhookCa, 'utf8'),
    credentials: webhookToken === undefined ? { authorization: async () => undefined } : fileCredentials(webhookToken),
  });
  const webhook = createAuditWebhook({
    async send(body, signal) {
      const path = `${pathname}${search}`;
      // As no account of the host: nothing is said of who asks but the token.
      const request = { identity: { as: 'reader' }, method: 'POST', path, contentType: 'application/json' } as const;
      return (await upstream.request({ ...request, body, signal })).status;
    },
    onDropped: (count, why) => log.error({ count, why }, 'audit events were dropped'),
  });
  return {
    write: webhook.write,
    async close(): Promise<void> {
      await webhook.close();
      await upstream.close();
    },
  };
}
