import { describe, expect, it } from 'vitest';
import { createAuthority, issueClient } from '../../pki/certificates.ts';
import { requestEndsAtMs } from './request-age.ts';

const CREATED = '2026-01-01T00:00:00Z';
const CHANGED = '2026-01-01T06:00:00Z';

function request(conditions: string[], certificate?: string) {
  const status = {
    conditions: conditions.map((type) => ({ type, status: 'True', lastUpdateTime: CHANGED })),
    ...(certificate === undefined ? {} : { certificate: Buffer.from(certificate).toString('base64') }),
  };
  return { metadata: { creationTimestamp: CREATED }, status };
}

function endOf(conditions: string[], certificate?: string): string | undefined {
  const endMs = requestEndsAtMs(request(conditions, certificate));
  return endMs === undefined ? undefined : new Date(endMs).toISOString();
}

describe('a certificate request', () => {
  it.each([
    ['waits a day for somebody to decide', [], '2026-01-02T00:00:00.000Z'],
    ['waits a day for its signer', ['Approved'], '2026-01-02T06:00:00.000Z'],
    ['is kept an hour when it was denied', ['Denied'], '2026-01-01T07:00:00.000Z'],
    ['is kept an hour when it failed', ['Approved', 'Failed'], '2026-01-01T07:00:00.000Z'],
  ])('%s', (_name, conditions, end) => {
    expect(endOf(conditions)).toBe(end);
  });

  it('is kept an hour when it was signed, and no longer than its certificate', async () => {
    const authority = await createAuthority([{ CN: ['test-ca'] }]);
    const valid = await issueClient(authority, { user: 'ann' });
    const expired = await issueClient(authority, { user: 'ann', ttlMs: Date.parse(CHANGED) - Date.now() });
    expect(endOf(['Approved'], valid.certPem)).toBe('2026-01-01T07:00:00.000Z');
    expect(endOf(['Approved'], expired.certPem)).toBe(CHANGED.replace('Z', '.000Z'));
    expect(endOf(['Approved'], 'no certificate')).toBe('2026-01-01T07:00:00.000Z');
  });

  it('is kept for good when it does not say since when it is as it is', () => {
    expect(requestEndsAtMs({ status: { conditions: [{ type: 'Denied', status: 'True' }] } })).toBeUndefined();
  });
});
