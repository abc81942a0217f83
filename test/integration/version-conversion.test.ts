/**
 * Our conversion of Kubernetes' own kinds against the API server's: what is read in one version and converted is what is
 * read in the other.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { versionOf } from '../../src/k8s/meta.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { convertedTo } from '../../src/versions/convert.ts';
import { adminClient } from '../support/control-plane.ts';
import { AUTOSCALERS, eventsIn, type Versioned } from '../support/version-vectors.ts';

const NAMESPACE = 'version-conversion';
const client = adminClient(inject('controlPlane'));
const CASES = [...AUTOSCALERS, ...eventsIn(NAMESPACE)];

async function sent(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const answer = await client.send(method, path.replace('NS', NAMESPACE), body);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body as JsonObject;
}

beforeAll(async () => {
  await sent('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  for (const { at, object, status } of CASES) {
    const made = await sent('POST', at, object);
    const name = (made['metadata'] as JsonObject)['name'];
    if (status !== undefined) await sent('PUT', `${at}/${name}/status`, { ...made, status });
  }
});
afterAll(async () => {
  await client.send('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
  client.close();
});

/** One revision in both versions: the controller of autoscalers writes their status. */
async function read({ at, other, object }: Versioned): Promise<[own: JsonObject, others: JsonObject]> {
  const { name = '' } = object['metadata'] as JsonObject;
  for (;;) {
    const both = [await sent('GET', `${at}/${name}`), await sent('GET', `${other}/${name}`)] as const;
    const [own, others] = both.map((one) => versionOf(one));
    if (own === others) return [...both];
  }
}

describe('converted as by the API server', () => {
  it.each(CASES)('$title, to the other version', async (one) => {
    const [own, others] = await read(one);
    expect(convertedTo(own, others['apiVersion'] as string)).toEqual(others);
  });

  it.each(CASES)('$title, from the other version', async (one) => {
    const [own, others] = await read(one);
    expect(convertedTo(others, own['apiVersion'] as string)).toEqual(own);
  });
});
