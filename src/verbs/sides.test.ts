import { describe, expect, it } from 'vitest';
import { Feed, textOf } from '../../test/support/scripted-upstream.ts';
import { refusal, TABLE, VerbLab } from '../../test/support/verb-lab.ts';
import type { JsonObject } from '../k8s/types.ts';

const PATH = '/apis/scheduling.k8s.io/v1/priorityclasses';
const V1 = 'scheduling.k8s.io/v1';

function priority(name: string, owner?: string, more: JsonObject = {}): JsonObject {
  const labels = owner === undefined ? {} : { 'kubeveil.dev/tenant': owner };
  return { apiVersion: V1, kind: 'PriorityClass', metadata: { name, uid: `u-${name}`, labels }, value: 5, ...more };
}
/** Of the tenant, of the host (published and not), of somebody else, and two that look like the tenant's and are not. */
const ALL = [
  priority('acme--zebra', 'acme'),
  priority('globex--secret', 'globex'),
  priority('acme--unlabelled'),
  priority('odd', 'globex'),
  priority('standard'),
  priority('unshared'),
];
const LIST = { apiVersion: V1, kind: 'PriorityClassList', metadata: { resourceVersion: '9', remainingItemCount: 7 } };

function lab(answers: ConstructorParameters<typeof VerbLab>[0], profile: 'trusted' | 'baseline' = 'trusted'): VerbLab {
  return new VerbLab(answers, { profile, shared: new Set(['standard', 'acme--unlabelled', 'globex--secret', 'odd']) });
}
const names = ({ items }: JsonObject) =>
  (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

describe('a list of a mixed kind', () => {
  const answers = () => ({ status: 200, body: structuredClone({ ...LIST, items: ALL }) });

  it('is the tenant’s own and the host’s published ones, by name, at one revision', async () => {
    const { object } = await lab(answers).ask('GET', PATH);
    expect(names(object)).toEqual(['standard', 'zebra']);
    expect(object['metadata']).toEqual({ resourceVersion: '9' });
  });
  it('of a tenant that holds none is the host’s alone', async () => {
    expect(names((await lab(answers, 'baseline').ask('GET', PATH)).object)).toEqual(['standard']);
  });
  it('is read as a whole, as the reader', async () => {
    const one = lab(answers);
    await one.ask('GET', `${PATH}?labelSelector=a%3Db`);
    expect(one.upstream.requests.map(textOf)).toEqual([`GET ${PATH}?labelSelector=a=b`]);
    expect(one.upstream.requests[0]?.identity).toEqual({ as: 'reader' });
  });
  it('is the same as a Table', async () => {
    const columnDefinitions = [{ name: 'Name', type: 'string', format: 'name' }];
    const rows = ALL.map((object) => ({ cells: [(object['metadata'] as JsonObject)['name']], object }));
    const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {}, columnDefinitions, rows };
    const answer = () => ({ status: 200, body: structuredClone(table) as JsonObject });
    const { object } = await lab(answer).ask('GET', PATH, { accept: TABLE });
    expect((object['rows'] as { cells: string[] }[]).map(({ cells }) => cells[0])).toEqual(['standard', 'zebra']);
  });
});

it('a watch of a mixed kind has events of the same', async () => {
  const feed = new Feed();
  const one = lab(() => ({ status: 200, body: feed }));
  const events = await one.watch(`${PATH}?watch=true`);
  for (const object of ALL) feed.send({ type: 'MODIFIED', object });
  const seen = [await events.next(), await events.next()].map(({ value }) => value.object.metadata.name);
  expect(seen).toEqual(['zebra', 'standard']);
});

describe('one object', () => {
  it.each([
    ['zebra', 'acme--zebra'],
    ['standard', 'standard'],
    ['unshared', 'acme--unshared'],
    ['globex--secret', 'globex--secret'],
  ])('%s is looked for as %s', async (name, upstream) => {
    const found = ALL.find(({ metadata }) => (metadata as JsonObject)['name'] === upstream);
    const one = lab(() => (found ? { status: 200, body: structuredClone(found) } : refusal(404, 'NotFound')));
    const answer = await one.ask('GET', `${PATH}/${name}`).catch((error) => ({ status: error.status, object: {} }));
    expect(one.upstream.requests.map(textOf)).toEqual([`GET ${PATH}/${upstream}`]);
    expect(answer.status).toBe(['zebra', 'standard'].includes(name) ? 200 : 404);
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('of the host is no tenant’s to %s', async (method) => {
    const one = lab({});
    const write = (name: string) => one.ask(method, `${PATH}/${name}`, { body: priority(name) });
    await expect(write('standard')).rejects.toMatchObject({
      status: 403,
      message: expect.stringMatching(/"standard" is forbidden/),
    });
    expect(one.upstream.requests).toEqual([]);
  });
  it.each(['PUT', 'DELETE'])('of the tenant is written as itself, by %s', async (method) => {
    const one = lab(() => ({ status: 200, body: priority('acme--zebra', 'acme') }));
    await one.ask(method, `${PATH}/zebra`, method === 'PUT' ? { body: priority('zebra') } : {});
    expect(one.upstream.requests.map(({ path }) => path)).toEqual([`${PATH}/acme--zebra`]);
    expect(one.upstream.requests[0]?.identity).toMatchObject({ as: 'tenant', trusted: true });
  });
});

describe('a new object', () => {
  it('does not take a name of the host’s', async () => {
    const one = lab(() => ({ status: 201, body: priority('acme--new', 'acme') }));
    const make = (name: string) => one.ask('POST', PATH, { body: priority(name) });
    await expect(make('standard')).rejects.toMatchObject({
      status: 409,
      message: 'priorityclasses.scheduling.k8s.io "standard" already exists',
    });
    expect((await make('new')).status).toBe(201);
  });
});

it('a collection is deleted as far as it is the tenant’s own', async () => {
  const one = lab(({ method }) => ({
    status: 200,
    body: method === 'GET' ? structuredClone({ ...LIST, items: ALL }) : priority('acme--zebra', 'acme'),
  }));
  await one.ask('DELETE', PATH);
  const deleted = one.upstream.requests.filter(({ method }) => method === 'DELETE').map(textOf);
  expect(deleted).toEqual([`DELETE ${PATH}/acme--zebra`]);
});
