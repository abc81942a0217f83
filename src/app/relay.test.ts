import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import { expect, it } from 'vitest';
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

/** To whom the connection belongs after a question with these. */
async function ownersAfter({ door, token }: { door: string; token: string }): Promise<string[]> {
  const keys = { opens: async (given: string) => given === door, holds: async (given: string) => given === token };
  const options = { keys, problem: () => 'it starts', nowMs: Date.now } as unknown as RelayOptions;
  const owners: string[] = [];
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.assignSocket(new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }) as Socket);
  const incoming = {
    head: {
      ...{ id: 'r1', method: 'POST', target: `${RELAY_ROOT}the-door?timeout=2s` },
      ...{ headers: new Map([['content-type', 'application/json']]), signal: new AbortController().signal },
    },
    body: Readable.from([Buffer.from(JSON.stringify(REVIEW))]),
    response,
    belongsTo: (owner: string) => owners.push(owner),
    draining: new AbortController().signal,
  };
  await withRelay(async () => {}, options)(incoming as unknown as Incoming);
  return owners;
}

it('a connection is the host’s when the token has proved it, however the question ends', async () => {
  expect(await ownersAfter({ door: 'the-door', token: 'the-token' })).toEqual(['the API server of the host']);
});

it.each([
  ['the word in the URL alone', { door: 'the-door', token: 'another' }],
  ['the token alone', { door: 'another', token: 'the-token' }],
])('a connection stays a stranger’s with %s', async (_what, right) => {
  expect(await ownersAfter(right)).toEqual([]);
});
