/**
 * Virtual kinds against the native ones of the plain API server: the same object is taken by both or refused by both, with
 * the same status, reason, message and causes; and what is taken has the same defaults.
 */
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import type { Identity } from '../../src/exchange.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/k8s/types.ts';
import { virtualBehaviour } from '../../src/virtual/behaviours.ts';
import { adminClient } from '../support/control-plane.ts';
import { type Change, changed } from '../support/differential.ts';
import { eventually } from '../support/processes.ts';
import { collectionOf, sample, virtualVectors } from '../support/virtual-vectors.ts';
import { virtualKinds } from '../tools/virtual-crds.ts';

/** Whole objects are shown as Go's internal types print them. */
const OBJECT_VALUE = /Invalid value: \{.*?\}(?=: )/g;
/** What the parser expected where there is no sense in an expression. */
const SYNTAX = /Syntax error: .*?(?=\\n)/g;
const client = adminClient(inject('controlPlane'));
afterAll(() => client.close());

const vectors = virtualVectors();
/** Who asks, as the server knows them: what it makes of that is theirs to say. */
const ADMIN: Identity = { username: 'admin', groups: [], uid: '', extra: {} };
const ASKER = ['username', 'uid', 'groups', 'extra'];

/** What our own checks make of an object: it with its defaults, or the refusal. */
function judged(resource: string, group: string, object: JsonObject, previous?: JsonObject, subresource = '') {
  const behaviour = virtualBehaviour(group, resource);
  if (behaviour === undefined) throw new Error(`${resource} has no behaviour`);
  try {
    const complete = behaviour.withDefaults(object);
    const write = { previous, subresource, isPatch: false, caller: ADMIN, nowMs: Date.now() };
    behaviour.prepare(complete, write);
    behaviour.validate(complete, previous, subresource);
    behaviour.admit(complete, write, () => true);
    return { status: 200, object: complete };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { message, reason, details, status } = error;
    return { status, refusal: { message, reason, ...(status === 422 && { details }) } as unknown as JsonObject };
  }
}

/** The messages of what cannot be read speak of Go's types. */
function comparable(status: number, body: unknown): JsonValue {
  if (!isObject(body)) throw new Error(`answered with ${status} and no object`);
  const { message = '', reason = '', details = {} } = body;
  const text = (value: JsonValue) =>
    JSON.parse(JSON.stringify(value).replaceAll(OBJECT_VALUE, 'Invalid value: {}').replaceAll(SYNTAX, 'Syntax error'));
  return status === 422 ? { status, message: text(message), reason, details: text(details) } : { status, reason };
}

/** What only the server can fill in, and what it prints although it is empty. */
function contents({ metadata: _metadata, status: _status, ...rest }: JsonObject): JsonObject {
  const isRequest = rest['kind'] === 'CertificateSigningRequest';
  const isEmpty = (value: unknown) => value === '' || value === null || (Array.isArray(value) && value.length === 0);
  const isAsker = (key: string) => isRequest && ASKER.includes(key);
  return JSON.parse(JSON.stringify(rest, (key, value) => (isEmpty(value) || isAsker(key) ? undefined : value)));
}

it('has vectors for every virtual kind', () => {
  const others = ['clusterrolebindings', 'clusterroles'];
  expect(
    virtualKinds()
      .map(({ resource }) => resource)
      .sort(),
  ).toEqual([...vectors.map(({ resource }) => resource), ...others].sort());
});

describe.each(vectors)('$resource', (vector) => {
  const { resource, group, cases, updates, statuses, name = 'virtual-test' } = vector;
  const path = collectionOf(vector);
  const named = (change: Change): JsonObject => sample(vector, 'virtual-test', change);

  function compare(ours: ReturnType<typeof judged>, { status, body }: { status: number; body: unknown }) {
    if (status >= 300) {
      const refusal = { ...ours.refusal, ...(status === 422 ? {} : { message: '' }) };
      expect(comparable(ours.status, refusal)).toEqual(comparable(status, body));
    } else {
      expect(ours.refusal).toBeUndefined();
      expect(contents(ours.object ?? {})).toEqual(contents(body as JsonObject));
    }
  }

  it.each(titled(cases))('made with %s', async (_name, change) => {
    const object = named(change);
    const answer = await client.send('POST', `${path}?dryRun=All`, object);
    compare(judged(resource, group, object), answer);
  });

  describe('stored', () => {
    beforeEach(async () => {
      const { status, body } = await client.send('POST', path, named({}));
      expect(status, JSON.stringify(body)).toBe(201);
    });
    afterEach(async () => {
      await client.send('DELETE', `${path}/${name}`);
      // Some have a finalizer of a controller of the host.
      await eventually('it is gone', async () => (await client.send('GET', `${path}/${name}`)).status === 404);
    });

    /** A rehearsed update of what is stored, made anew when a controller of the host was faster. */
    async function update(change: Change, subresource: '' | '/status') {
      for (;;) {
        const { body: stored } = await client.send('GET', `${path}/${name}`);
        const object = changed(stored as JsonObject, change);
        const answer = await client.send('PUT', `${path}/${name}${subresource}?dryRun=All`, object);
        if (answer.status === 409) continue;
        return { answer, ours: judged(resource, group, object, stored as JsonObject, subresource.slice(1)) };
      }
    }

    it.each(titled(updates))('and changed by %s', async (_name, change) => {
      const { answer, ours } = await update(change, '');
      compare(ours, answer);
    });

    it.each(titled(statuses))('and its status changed by %s', async (_name, change) => {
      const { answer, ours } = await update(change, '/status');
      if (answer.status >= 300) compare(ours, answer);
      else expect(ours.refusal).toBeUndefined();
    });
  });
});

function titled(changes: readonly Change[]): [string, Change][] {
  return changes.map((change) => [JSON.stringify(change), change]);
}
