import { describe, expect, it } from 'vitest';
import { readAuditProof } from './audit-proof.ts';

const PROXY = 'system:serviceaccount:kubeveil-system:kubeveil-';
const entry = (username: string, impersonated: string | undefined, userAgent: string) =>
  JSON.stringify({
    verb: 'get',
    requestURI: '/api/v1/pods',
    user: { username },
    ...(impersonated !== undefined && { impersonatedUser: { username: impersonated } }),
    userAgent,
  });
const proofOf = (...lines: string[]) => readAuditProof(`${lines.join('\n')}\n`, 'acme');

describe('the proof that a run went through the proxy', () => {
  it('counts what the data path did as the tenant, and nothing else', () => {
    const lines = [
      entry(`${PROXY}datapath`, 'kubeveil:acme', 'kubeveil/0.1.0'),
      entry(`${PROXY}datapath`, 'kubeveil:acme-eu', 'kubeveil/0.1.0'),
      entry(`${PROXY}reader`, undefined, 'kubeveil/0.1.0'),
      entry('system:kube-scheduler', undefined, 'kube-scheduler/v1.36.3'),
      entry('admin', 'kubeveil:acme', 'curl/8'),
    ];
    expect(proofOf(...lines)).toEqual({ asTenant: 1, strays: [] });
  });

  it('lets the suite be named where the proxy passes its name on', () => {
    const lines = [
      entry(`${PROXY}datapath`, 'kubeveil:acme', 'e2e.test/v1.36.3'),
      entry(`${PROXY}reader`, undefined, 'kubectl/v1.36.3'),
    ];
    expect(proofOf(...lines)).toEqual({ asTenant: 1, strays: [] });
  });

  it.each(['e2e.test/v1.36.3 (linux/amd64) -- [sig-a] one', 'kubectl/v1.36.3'])(
    'finds a request of %s that did not',
    (agent) => {
      expect(proofOf(entry('admin', undefined, agent), entry('admin', undefined, agent)).strays).toEqual([
        'get /api/v1/pods by admin',
      ]);
    },
  );

  it('finds nothing in an empty log', () => {
    expect(proofOf()).toEqual({ asTenant: 0, strays: [] });
  });
});
