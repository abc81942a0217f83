/**
 * The FlowSchemas and PriorityLevelConfigurations that every API server has, under the same names in a virtual cluster:
 * what the API server itself has is taken, and what it refuses to make of it is refused in its words.
 */
import { afterAll, describe, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { virtualBehaviour } from '../../src/virtual/behaviours.ts';
import { adminClient } from '../support/control-plane.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const client = adminClient(inject('controlPlane'));
afterAll(() => client.close());

function refusal(resource: string, object: JsonObject): string {
  const behaviour = virtualBehaviour(GROUP, resource);
  if (behaviour === undefined) throw new Error(`${resource} has no behaviour`);
  try {
    behaviour.validate(behaviour.withDefaults(object), undefined, '');
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

async function stored(resource: string, name: string): Promise<JsonObject> {
  const { status, body } = await client.send('GET', `/apis/${GROUP}/v1/${resource}/${name}`);
  expect(status).toBe(200);
  return body as JsonObject;
}

describe('what every API server has', () => {
  it.each([
    ['flowschemas', 'exempt'],
    ['flowschemas', 'catch-all'],
    ['prioritylevelconfigurations', 'exempt'],
    ['prioritylevelconfigurations', 'catch-all'],
  ])('of %s, %s is taken as it is', async (resource, name) => {
    expect(refusal(resource, await stored(resource, name))).toBe('');
  });

  it.each<[resource: string, name: string, spec: JsonObject]>([
    ['flowschemas', 'exempt', { matchingPrecedence: 2 }],
    ['flowschemas', 'exempt', { rules: [] }],
    ['flowschemas', 'catch-all', { distinguisherMethod: null }],
    ['flowschemas', 'catch-all', { priorityLevelConfiguration: { name: 'exempt' } }],
    ['prioritylevelconfigurations', 'catch-all', { limited: { nominalConcurrencyShares: 6 } }],
    ['prioritylevelconfigurations', 'catch-all', { limited: { limitResponse: { type: 'Queue', queuing: {} } } }],
    ['prioritylevelconfigurations', 'exempt', { exempt: { lendablePercent: 6 } }],
    ['prioritylevelconfigurations', 'exempt', { type: 'Limited', exempt: null, limited: {} }],
  ])('of %s, %s is no other: %j', async (resource, name, spec) => {
    const path = `/apis/${GROUP}/v1/${resource}/${name}?dryRun=All`;
    const type = 'application/merge-patch+json';
    const current = await stored(resource, name);
    const theirs = (await client.send('PATCH', path, { spec }, type)).body as JsonObject;
    expect(refusal(resource, merged(current, { spec }))).toBe(theirs['message'] ?? '');
  });
});

function merged(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (typeof value !== 'object' || Array.isArray(value)) result[key] = value;
    else result[key] = merged((result[key] ?? {}) as JsonObject, value as JsonObject);
  }
  return result;
}
