/**
 * A host that cannot limit impersonation is of no use, and says so only in refusals of each tenant's requests. The proxy
 * finds out before it serves anybody. A private control plane, since the shared one can.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { impersonationProblem } from '../../src/controllers/walls/impersonation.ts';
import { readManifests } from '../../src/controllers/walls/manifests.ts';
import { watchReadiness } from '../../src/controllers/walls/readiness.ts';
import { factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { type Host, prepareHost } from '../support/host.ts';

describe('a host without constrained impersonation', () => {
  const stack = new AsyncDisposableStack();
  let host: Host;
  beforeAll(async () => {
    const extraArgs = { 'kube-apiserver': ['--feature-gates=ConstrainedImpersonation=false'] };
    const controlPlane = stack.use(await startPrivateControlPlane({ extraArgs, nodes: 0 }));
    host = stack.use(await prepareHost(factsOf(controlPlane)));
  });
  afterAll(() => stack.disposeAsync());

  it('keeps the proxy from serving, which tells what is needed', async () => {
    const ending = new AbortController();
    const heard: (string | undefined)[] = [];
    const readiness = watchReadiness({
      upstream: host.upstream,
      manifests: readManifests(),
      signal: ending.signal,
      onChange: (problem) => heard.push(problem),
    });
    await expect.poll(() => heard[0]).toMatch(/^this host cannot limit impersonation: needs Kubernetes 1\.36/);
    expect(readiness.problem()).toBe(heard[0]);
    ending.abort();
    await expect(readiness.whenReady()).rejects.toThrow('shutting down');
  });
});

describe('a host with constrained impersonation', () => {
  it('will do, whatever tenants there are', async () => {
    await using host = await prepareHost(inject('controlPlane'));
    expect(await impersonationProblem(host.upstream, AbortSignal.timeout(60_000))).toBeUndefined();
  });
});
