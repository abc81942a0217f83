import { describe, expect, it } from 'vitest';
import { bodyOf, queryOf } from '../../test/support/scripted-upstream.ts';
import { VerbLab } from '../../test/support/verb-lab.ts';
import type { JsonObject } from '../k8s/types.ts';
import { withFieldManager } from './field-manager.ts';
import { serve } from './verbs.ts';

describe('withFieldManager', () => {
  it.each<[string | undefined, string]>([
    ['kubectl/v1.36.3 (linux/amd64) kubernetes/abc', 'kubectl'],
    ['helm', 'helm'],
    ['my agent 1.0', 'my agent 1.0'],
    ['a\u0001b\tc/x', 'abc'],
    ['x'.repeat(200), 'x'.repeat(128)],
    ['\u00e9'.repeat(100), '\u00e9'.repeat(64)],
    ['/v1', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ])('of the agent %j is %j', (agent, manager) => {
    expect(withFieldManager([], agent)).toEqual([['fieldManager', manager]]);
  });

  it('is the client’s own where it gives one', () => {
    expect(withFieldManager([['fieldManager', 'me']], 'kubectl/v1')).toEqual([['fieldManager', 'me']]);
    expect(withFieldManager([['fieldManager', '']], 'kubectl/v1')).toEqual([['fieldManager', 'kubectl']]);
    expect(withFieldManager([['dryRun', 'All']], 'kubectl/v1')).toEqual([
      ['dryRun', 'All'],
      ['fieldManager', 'kubectl'],
    ]);
  });
});

describe('writes', () => {
  const MAPS = '/api/v1/namespaces/web/configmaps';
  const stored: JsonObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm', namespace: 'acme--web', resourceVersion: '7' },
  };
  const map: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };

  async function sent(method: string, target: string, type: string, body: JsonObject | JsonObject[] = map) {
    const lab = new VerbLab(() => ({ status: 200, body: structuredClone(stored) }));
    const call = lab.call(method, target, { body, type });
    const headers = new Map([['user-agent', 'terraform/1.0']]);
    await serve({ ...call, head: { ...call.head, headers } }, lab.deps);
    return lab.upstream.requests.at(-1);
  }

  it('go up under the name of the client’s program', async () => {
    const json = 'application/json';
    expect(queryOf(await sent('POST', MAPS, json))).toMatchObject({ fieldManager: 'terraform' });
    expect(queryOf(await sent('PUT', `${MAPS}/m`, json))).toMatchObject({ fieldManager: 'terraform' });
    expect(queryOf(await sent('PUT', `${MAPS}/m?fieldManager=me`, json))).toMatchObject({ fieldManager: 'me' });
    for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json']) {
      const body = type.startsWith('json') ? [{ op: 'add', path: '/data', value: {} }] : map;
      const request = await sent('PATCH', `${MAPS}/m`, `application/${type}`, body);
      expect(queryOf(request)).toMatchObject({ fieldManager: 'terraform' });
    }
  });

  it('that make a namespace are no different', async () => {
    const lab = new VerbLab(() => ({
      status: 201,
      body: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'acme--new', labels: { 'kubeveil.dev/tenant': 'acme' } },
      },
    }));
    const call = lab.call('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } },
    });
    await serve({ ...call, head: { ...call.head, headers: new Map([['user-agent', 'helm/4']]) } }, lab.deps);
    expect(queryOf(lab.upstream.requests[0])).toEqual({ fieldManager: 'helm' });
  });

  it('that apply must name their manager themselves', async () => {
    const apply = 'application/apply-patch+yaml';
    await expect(sent('PATCH', `${MAPS}/m`, apply)).rejects.toThrow('fieldManager: Required value');
    expect(queryOf(await sent('PATCH', `${MAPS}/m?fieldManager=me`, apply))).toMatchObject({ fieldManager: 'me' });
  });

  it('that delete have none', async () => {
    const request = await sent('DELETE', `${MAPS}/m`, 'application/json', { kind: 'DeleteOptions', apiVersion: 'v1' });
    expect(queryOf(request)).toEqual({});
    expect(bodyOf(request)).toMatchObject({ kind: 'DeleteOptions' });
  });
});
