/**
 * What really arrived at the host, from its own audit log: every request that it granted in acme's name was for what is
 * acme's, it knows which user asked, and each account of the proxy did its own work only. Attacks on the proxy that are
 * refused there leave no trace upstream.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { issueClient } from '../../src/pki/certificates.ts';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { asManifest, samples } from '../support/samples.ts';

const { acme, globex } = useProduct();
const ACCOUNT = 'system:serviceaccount:kubeveil-system:';

interface Entry {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: KubeObject;
  readonly objectRef?: KubeObject;
  readonly responseStatus?: { readonly code?: number };
}

function entries(): Entry[] {
  const lines = readFileSync(inject('controlPlane').auditLogPath, 'utf8').split('\n');
  // The last line may be half-written.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Entry);
}

function granted({ responseStatus }: Entry): boolean {
  return (responseStatus?.code ?? 500) < 300;
}

beforeAll(async () => {
  await acme.kubectl('create namespace audited');
  const input = { stdin: asManifest(samples('audited')) };
  await acme.kubectl('apply -n audited -f -', input);
  await acme.kubectl('label -n audited -f - a=b', input);
  await acme.kubectl('get configmaps,secrets,pods,clusterroles,nodes -A');
  await acme.kubectl('create clusterrole audited --verb=get --resource=pods');
  await acme.kubectl('delete clusterrole audited');
  await acme.kubectl('delete -n audited -f - --wait=false', input);
});

describe('the host', () => {
  it('granted in the name of acme only what is acme\u2019s', () => {
    const all = entries().filter((entry) => entry.impersonatedUser?.username === 'kubeveil:acme' && granted(entry));
    expect(all.length).toBeGreaterThan(100);
    const foreign = all.filter(({ objectRef, requestURI }) => {
      const { namespace = '', name = '', apiGroup = '', resource } = objectRef ?? {};
      if (namespace !== '') return !namespace.startsWith('acme--');
      if (apiGroup.startsWith('acme--')) return false;
      // The proxy asks the host whether the guard of a new namespace works.
      if (resource === 'selfsubjectaccessreviews') return false;
      // A name is absent from a creation; the host's wall has looked at it.
      if (apiGroup === 'virtual.kubeveil.dev') return name !== '' && !name.startsWith('acme--');
      if (resource === 'customresourcedefinitions') return name !== '' && !name.includes('.acme--');
      return !/^\/(api|apis|version|openapi)\b/.test(requestURI) || objectRef !== undefined;
    });
    expect(foreign.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  });

  it('was told which user of acme asked', () => {
    const asked = entries().filter(({ objectRef }) => objectRef?.namespace === 'acme--audited');
    const named = asked.filter(({ impersonatedUser }) => impersonatedUser?.username === 'kubeveil:acme');
    expect(named.length).toBeGreaterThan(50);
    for (const { user, impersonatedUser } of named) {
      expect(user.username).toBe(`${ACCOUNT}kubeveil-datapath`);
      expect(impersonatedUser.groups).toEqual(expect.arrayContaining(['kubeveil:tenants', 'kubeveil:tenant:acme']));
    }
    const users = new Set(named.flatMap(({ impersonatedUser }) => impersonatedUser.extra?.['kubeveil.dev/user'] ?? []));
    expect(users).toContain('admin');
  });

  it('saw each account of the proxy do its own work and no other', () => {
    const by = (account: string) =>
      entries().filter((entry) => entry.user.username === `${ACCOUNT}${account}` && granted(entry));
    const verbs = (list: readonly Entry[]) =>
      new Set(list.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`));
    const reads = /^(get|list|watch) |^create tokenreviews$/;
    expect([...verbs(by('kubeveil-reader'))].filter((verb) => !reads.test(verb))).toEqual([]);
    expect([...verbs(by('kubeveil'))]).toEqual(['create serviceaccounts']);
    expect(by('kubeveil').every(({ objectRef }) => objectRef?.subresource === 'token')).toBe(true);
    const own = by('kubeveil-datapath').filter(({ impersonatedUser }) => impersonatedUser === undefined);
    expect(own.map(({ requestURI }) => requestURI)).toEqual([]);
    const written = by('kubeveil-provisioner').filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
    // Tries, which are not stored, whether the host's plugins act; and the one policy that is the operator's rules.
    const isTried = ({ requestURI, objectRef }: Entry) =>
      objectRef?.namespace?.startsWith('kubeveil-') === true && requestURI.includes('dryRun=All');
    const isRules = ({ objectRef }: Entry) =>
      objectRef?.resource === 'validatingadmissionpolicies' && objectRef.name === 'kubeveil-rules';
    const provisioned = written.filter((entry) => !isTried(entry) && !isRules(entry));
    const kinds = new Set(provisioned.map(({ objectRef }) => objectRef?.resource));
    const allowed = [
      'namespaces',
      'rolebindings',
      'networkpolicies',
      'resourcequotas',
      'limitranges',
      'clusterroles',
      'clusterrolebindings',
      'serviceaccounts',
      'tenants',
      'secrets',
      'configmaps',
      'selfsubjectaccessreviews',
      'subjectaccessreviews',
    ];
    expect([...kinds].filter((kind) => !allowed.includes(kind))).toEqual([]);
  });

  it('is asked no more for a user of 300 groups than for one of none', async () => {
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create', 'delete'] }];
    const group = 'rbac.authorization.k8s.io';
    const metadata = { name: 'many-groups', namespace: 'default' };
    const role = { apiVersion: `${group}/v1`, kind: 'Role', metadata, rules };
    const subjects = ['groups-none', 'groups-many'].map((name) => ({ kind: 'User', name, apiGroup: group }));
    const roleRef = { apiGroup: group, kind: 'Role', name: 'many-groups' };
    const binding = { apiVersion: `${group}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects };
    for (const object of [role, binding]) await acme.kubectl('create -f -', { stdin: JSON.stringify(object) });

    /** What reaches the host for one user, by verb and resource. */
    async function upstream(user: string, groups: readonly string[]): Promise<string[]> {
      const { caCertPem, caKeyPem } = acme.facts;
      const as = await issueClient({ certPem: caCertPem, keyPem: caKeyPem }, { user, groups, ttlMs: 600_000 });
      const name = `${user}-map`;
      const path = '/api/v1/namespaces/default/configmaps';
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
      expect((await acme.send(path, { method: 'POST', body, ...as })).status).toBe(201);
      expect((await acme.send(`${path}/${name}`, as)).status).toBe(200);
      expect((await acme.send(path, as)).status).toBe(200);
      expect((await acme.send(`${path}/${name}`, { method: 'DELETE', ...as })).status).toBe(200);
      const mine = () =>
        entries().filter(({ impersonatedUser }) => impersonatedUser?.extra?.['kubeveil.dev/user']?.includes(user));
      await expect.poll(() => mine().some(({ verb }) => verb === 'delete'), { timeout: 60_000 }).toBe(true);
      return mine().map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`);
    }

    const none = await upstream('groups-none', []);
    const many = await upstream(
      'groups-many',
      Array.from({ length: 300 }, (_, at) => `group-${at}`),
    );
    expect(none).toEqual(['create configmaps', 'get configmaps', 'list configmaps', 'delete configmaps']);
    expect(many).toEqual(none);
  });

  it('never heard of what the proxy refused', async () => {
    const mark = `refused-${Date.now()}`;
    const path = `/api/v1/namespaces/${mark}/configmaps`;
    await acme.send(`${path}?watch=true`, { certPem: undefined, keyPem: undefined });
    // Nobody of acme is system:admin: that user has no rights.
    await acme.send(path, { headers: { 'Impersonate-User': 'system:admin' } });
    await acme.send(path, { headers: { authorization: 'Basic eA==' } });
    await acme.send(`/api/v1/namespaces/${mark}/..%2f..%2fsecrets`);
    await acme.send(`/apis/apiregistration.k8s.io/v1/apiservices/${mark}`);
    // One that is served, after them, shows that the log is that far.
    await globex.json(`/api/v1/namespaces/seen-${mark}/configmaps`);
    const seen = (text: string) => entries().filter(({ requestURI }) => requestURI.includes(text));
    await expect.poll(() => seen(`globex--seen-${mark}`).length, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(seen(mark).filter(({ requestURI }) => !requestURI.includes(`seen-${mark}`))).toEqual([]);
  });
});
