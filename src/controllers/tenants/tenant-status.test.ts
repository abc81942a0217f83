import { describe, expect, it } from 'vitest';
import { nextStatus, type TenantState } from './tenant-status.ts';

const ACTIVE: TenantState = { phase: 'Active', reason: 'Ready', message: 'in service', clientCa: 'PEM' };
const NOW_MS = Date.UTC(2026, 0, 1, 12, 0, 0, 500);

describe('the status of a Tenant', () => {
  const first = nextStatus({ metadata: { generation: 1 } }, ACTIVE, NOW_MS);

  it('says phase, CA and a condition', () => {
    expect(first).toMatchObject({
      phase: 'Active',
      observedGeneration: 1,
      clientCa: 'PEM',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T12:00:00Z' }],
    });
  });
  it('is not written again when it says the same', () => {
    const stored = { metadata: { generation: 1 }, status: first ?? {} };
    expect(nextStatus(stored, ACTIVE, NOW_MS + 60_000)).toBeUndefined();
  });
  it('keeps the time of its last change while the answer stays the same, and the CA when it is not named', () => {
    const stored = { metadata: { generation: 2 }, status: first ?? {} };
    const { clientCa: _ca, ...state } = ACTIVE;
    const next = nextStatus(stored, state, NOW_MS + 60_000);
    expect(next).toMatchObject({ observedGeneration: 2, clientCa: 'PEM' });
    expect(next?.['conditions']).toMatchObject([{ lastTransitionTime: '2026-01-01T12:00:00Z' }]);
    const ending = { phase: 'Terminating', reason: 'Terminating', message: 'deleting' } as const;
    expect(nextStatus(stored, ending, NOW_MS + 60_000)?.['conditions']).toMatchObject([
      { status: 'False', lastTransitionTime: '2026-01-01T12:01:00Z' },
    ]);
  });
  it('says that the relay is missing as long as it is, without a word on whether the tenant is in service', () => {
    const missing = nextStatus({ metadata: { generation: 1 } }, { ...ACTIVE, noRelay: 'set it up' }, NOW_MS);
    expect(missing).toMatchObject({
      phase: 'Active',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Relay', status: 'False', reason: 'NotSetUp', message: 'set it up' },
      ],
    });
    const stored = { metadata: { generation: 1 }, status: missing ?? {} };
    expect(nextStatus(stored, { ...ACTIVE, noRelay: 'set it up' }, NOW_MS + 60_000)).toBeUndefined();
    expect(nextStatus(stored, ACTIVE, NOW_MS + 60_000)?.['conditions']).toMatchObject([
      { type: 'Ready', lastTransitionTime: '2026-01-01T12:00:00Z' },
    ]);
  });
});
