import { describe, expect, it } from 'vitest';
import { ScriptedUpstream } from '../../../test/support/scripted-upstream.ts';
import { readManifests } from './manifests.ts';
import { watchReadiness } from './readiness.ts';
import { versionProblem } from './version.ts';

const saying = (said: object | undefined) => ({ get: async () => said as never });

describe('the version of the host', () => {
  it.each([
    [{ major: '1', minor: '33', gitVersion: 'v1.33.9' }, 'v1.33.9'],
    [{ major: '1', minor: '29+', gitVersion: 'v1.29.1-eks' }, 'v1.29.1-eks'],
    [{ major: '1', minor: '30' }, 'v1.30'],
  ])('is too old: %j', async (said, own) => {
    expect(await versionProblem(saying(said))).toMatch(`this host is Kubernetes ${own}; kubeveil needs v1.34 or newer`);
  });

  it.each([
    { major: '1', minor: '34', gitVersion: 'v1.34.0' },
    { major: '1', minor: '37+' },
    { major: '2', minor: '0' },
    {},
    undefined,
  ])('is new enough, or not known: %j', async (said) => {
    expect(await versionProblem(saying(said))).toBeUndefined();
  });

  it('is not known where the host refuses to say', async () => {
    const get = () => Promise.reject(new Error('forbidden'));
    expect(await versionProblem({ get })).toBeUndefined();
  });

  it('is why the proxy does not serve, and not that something is to be applied which cannot be', async () => {
    const old = { major: '1', minor: '33', gitVersion: 'v1.33.2' };
    const upstream = new ScriptedUpstream(({ path }) =>
      path === '/version'
        ? { status: 200, body: old }
        : { status: 404, body: { kind: 'Status', message: 'not found' } },
    );
    const ending = new AbortController();
    const options = { upstream, manifests: readManifests(), signal: ending.signal, waitingMs: 5 };
    const heard = Promise.withResolvers<string | undefined>();
    const readiness = watchReadiness({ ...options, onChange: heard.resolve });
    readiness.whenReady().catch(() => {});
    const told = await heard.promise;
    ending.abort();
    expect(told).toBe('this host is Kubernetes v1.33.2; kubeveil needs v1.34 or newer. Upgrade the host');
  });
});
