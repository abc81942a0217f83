import { describe, expect, it } from 'vitest';
import { textOf } from '../../test/support/scripted-upstream.ts';
import { VerbLab } from '../../test/support/verb-lab.ts';
import { child } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';

const RANGES = '/apis/networking.k8s.io/v1/servicecidrs';
const STORED = '/apis/virtual.kubeveil.dev/v1/servicecidrs';
const CONFLICT: JsonObject = { kind: 'Status', status: 'Failure', reason: 'AlreadyExists', code: 409 };
const NAME = 'acme--kubernetes';

function stored(extra: JsonObject = {}): JsonObject {
  const labels = { 'kubeveil.dev/tenant': 'acme' };
  return {
    kind: 'ServiceCIDR',
    apiVersion: 'virtual.kubeveil.dev/v1',
    metadata: { name: NAME, uid: 'stored', resourceVersion: '7', labels },
    spec: { cidrs: ['10.0.0.0/16'] },
    ...extra,
  };
}

describe('a write to an object that only stands', () => {
  it('stores it as it stands first, with its status, which a creation leaves out', async () => {
    let isStored = false;
    const lab = new VerbLab(
      ({ method }) => {
        if (method !== 'POST') return { status: 200, body: stored() };
        if (isStored) return { status: 409, body: CONFLICT };
        isStored = true;
        return { status: 201, body: stored() };
      },
      { profile: 'trusted' },
    );
    await lab.ask('PATCH', `${RANGES}/kubernetes`, {
      body: { metadata: { annotations: { a: 'b' } } },
      type: 'application/merge-patch+json',
    });
    const writes = lab.upstream.requests.filter(({ method }) => method !== 'GET');
    expect(writes.map(textOf).map((text) => text.replace(/\?.*/, ''))).toEqual([
      `POST ${STORED}`,
      `PUT ${STORED}/${NAME}/status`,
      `POST ${STORED}`,
      `PUT ${STORED}/${NAME}`,
    ]);
    const status = JSON.parse(String(writes[1]?.body)) as JsonObject;
    expect(child(status, 'status')['conditions']).toMatchObject([{ type: 'Ready', status: 'True' }]);
    expect(child(status, 'metadata')).toMatchObject({ uid: 'stored', resourceVersion: '7' });
  });

  it('touches nothing more where it was stored before', async () => {
    const lab = new VerbLab(
      ({ method }) => (method === 'POST' ? { status: 409, body: CONFLICT } : { status: 200, body: stored() }),
      { profile: 'trusted' },
    );
    await lab.ask('PATCH', `${RANGES}/kubernetes`, {
      body: { metadata: { annotations: { a: 'b' } } },
      type: 'application/merge-patch+json',
    });
    expect(lab.upstream.requests.filter(({ path }) => path.endsWith('/status'))).toEqual([]);
  });
});

describe('the status of an object that only stands', () => {
  it('is read as the object', async () => {
    const lab = new VerbLab(() => ({ status: 404, body: { kind: 'Status', reason: 'NotFound', code: 404 } }), {
      profile: 'trusted',
    });
    const { object } = await lab.ask('GET', `${RANGES}/kubernetes/status`);
    expect(object).toEqual((await lab.ask('GET', `${RANGES}/kubernetes`)).object);
  });
});
