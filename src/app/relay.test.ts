import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { AuditEntry } from '../audit/audit.ts';
import type { Incoming } from '../listen/options.ts';
import { RELAY_MARK, RELAY_ROOT } from '../tenancy/host-names.ts';
import { type RelayOptions, withRelay } from './relay.ts';

const REVIEW = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    ...{ uid: 'u1', namespace: 'acme--web', operation: 'CREATE' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    object: { metadata: { annotations: { [RELAY_MARK]: 'the-token' } } },
  },
};

/** To whom the connection belongs after a question with these, and what the audit is told of it. */
async function after({
  door,
  token,
}: {
  door: string;
  token: string;
}): Promise<{ owners: string[]; audit: AuditEntry[] }> {
  const keys = { opens: async (given: string) => given === door, holds: async (given: string) => given === token };
  const audit: AuditEntry[] = [];
  const options = {
    keys,
    isReady: () => false,
    nowMs: Date.now,
    writeAudit: (entry: AuditEntry) => audit.push(entry),
  } as unknown as RelayOptions;
  const owners: string[] = [];
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.assignSocket(new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }) as Socket);
  const incoming = {
    head: {
      ...{ id: 'r1', method: 'POST', target: `${RELAY_ROOT}the-door?timeout=2s` },
      ...{ headers: new Map([['content-type', 'application/json']]), signal: new AbortController().signal },
    },
    remoteAddress: '192.0.2.1',
    body: Readable.from([Buffer.from(JSON.stringify(REVIEW))]),
    response,
    belongsTo: (owner: string) => owners.push(owner),
    draining: new AbortController().signal,
  };
  await withRelay(async () => {}, options)(incoming as unknown as Incoming);
  return { owners, audit };
}

it('a connection is the host’s when the token has proved it, however the question ends', async () => {
  const { owners, audit } = await after({ door: 'the-door', token: 'the-token' });
  expect(owners).toEqual(['the API server of the host']);
  expect(audit).toMatchObject([{ written: { status: 503, why: 'not-ready' } }]);
});

it.each([
  ['the word in the URL alone', { door: 'the-door', token: 'another' }],
  ['the token alone', { door: 'another', token: 'the-token' }],
])('a connection stays a stranger’s with %s', async (_what, right) => {
  const { owners, audit } = await after(right);
  expect(owners).toEqual([]);
  expect(audit).toMatchObject([
    { head: { target: RELAY_ROOT }, remoteAddress: '192.0.2.1', written: { status: 401, why: 'no-relay' } },
  ]);
  expect(JSON.stringify(audit)).not.toContain('the-door');
});
