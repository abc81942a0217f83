/** `kubeveil tenant` and `kubeveil kubeconfig`, as an operator runs them: what they print, write, refuse and leave. */
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { parse } from 'yaml';
import { expectStatus, type KubeObject, useProduct } from '../support/as-tenant.ts';
import { cli, runCli } from '../support/cli.ts';
import { expectHostUnchanged } from '../support/host-diff.ts';
import { requestOnce } from '../support/http.ts';
import { type Ran, runKubectl } from '../support/kubectl.ts';

const { acme, host, facts } = useProduct();
const { adminKubeconfigPath, workDir } = inject('controlPlane');
const HOST = ['--kubeconfig', adminKubeconfigPath];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(workDir, 'cli-'));
});

function kubectl(file: string, args: string): Promise<Ran> {
  return runKubectl(file, args.split(' '));
}

/** The client certificate and key of the first user in a kubeconfig. */
function credentialOf(file: string): { certPem: string; keyPem: string } {
  const [{ user }] = parse(readFileSync(file, 'utf8')).users;
  const text = (field: string) => Buffer.from(user[field], 'base64').toString('utf8');
  return { certPem: text('client-certificate-data'), keyPem: text('client-key-data') };
}

describe('tenant create', () => {
  it('returns when the kubeconfig that it wrote works', async () => {
    const printed = await cli(['tenant', 'create', 'initech', ...HOST], { cwd: folder });
    expect(printed).toContain("tenant initech is ready; its administrator's kubeconfig is initech.kubeconfig");
    const file = join(folder, 'initech.kubeconfig');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { code, stdout } = await kubectl(file, 'get namespaces -o name');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'namespace/default\nnamespace/kube-node-lease\nnamespace/kube-public\nnamespace/kube-system\n',
    });
    expect(await kubectl(file, 'create deployment web --image=nginx')).toMatchObject({ code: 0 });
    expect(await kubectl(file, 'rollout status deployment/web --timeout=120s')).toMatchObject({ code: 0 });
  });

  it('refuses a second one of the id', async () => {
    const { code, stderr } = await runCli(['tenant', 'create', 'initech', ...HOST], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain('tenant initech exists already');
  });
});

describe('tenant list and describe', () => {
  it('print tables for people', async () => {
    const listed = await cli(['tenant', 'list', ...HOST]);
    expect(listed).toMatch(/^TENANT +PHASE +POLICY +AGE\n/);
    expect(listed).toMatch(/^acme +Active +default +\S+$/m);
    const described = await cli(['tenant', 'describe', 'acme', ...HOST]);
    expect(described).toMatch(/^Tenant: +acme\nPhase: +Active\nPolicy: +default\n/);
    expect(described).toMatch(/^NAMESPACE +ON THE HOST +STATUS\n/m);
    expect(described).toMatch(/^default +acme--default +Active$/m);
  });

  it('print JSON and YAML for programs', async () => {
    const listed = JSON.parse(await cli(['tenant', 'list', '-o', 'json', ...HOST])) as KubeObject[];
    expect(listed.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(['acme', 'globex']));
    // Namespaces of acme come and go meanwhile: what other tests left is being deleted.
    await vi.waitFor(async () => {
      const described = parse(await cli(['tenant', 'describe', 'acme', '--output', 'yaml', ...HOST]));
      expect(described).toMatchObject({ tenant: { metadata: { name: 'acme', uid: acme.facts.uid } } });
      expect(JSON.parse(await cli(['tenant', 'describe', 'acme', '-o', 'json', ...HOST]))).toEqual(described);
    });
  });

  it('refuse a tenant that is not there', async () => {
    const { code, stderr } = await runCli(['tenant', 'describe', 'nobody', ...HOST]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^kubeveil: there is no tenant nobody;/),
    });
  });
});

describe('kubeconfig', () => {
  it('makes a user with groups, for as long as it is told', async () => {
    const file = join(folder, 'jane.kubeconfig');
    const user = ['--user', 'jane', '--group', 'devs', 'qa', '--ttl', '30m'];
    await cli(['kubeconfig', 'acme', ...user, '--out', file, ...HOST]);
    const { stdout } = await kubectl(file, 'auth whoami -o json');
    const { userInfo } = (JSON.parse(stdout) as KubeObject).status;
    expect(userInfo.username).toBe('jane');
    expect(userInfo.groups).toEqual(expect.arrayContaining(['devs', 'qa']));
    expect(userInfo.groups).not.toContain('system:masters');
    expect(await kubectl(file, 'get secrets -A')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Forbidden'),
    });
    await acme.kubectl('create clusterrolebinding cli-devs --clusterrole=cluster-admin --group=devs');
    expect(await kubectl(file, 'get secrets -A -o name')).toMatchObject({ code: 0 });
    await acme.kubectl('delete clusterrolebinding cli-devs');
  });

  it('prints one when it is not told where to write', async () => {
    const config = parse(await cli(['kubeconfig', 'acme', ...HOST]));
    expect(config).toMatchObject({ kind: 'Config', 'current-context': 'kubeveil-acme' });
    expect(config.clusters[0].cluster.server).toBe(facts.server);
  });

  it('merges into a file that is there, and keeps what it holds', async () => {
    const file = join(folder, 'merged.kubeconfig');
    const old = { name: 'old', context: { cluster: 'old', user: 'old' } };
    const text = [
      'apiVersion: v1',
      'kind: Config # mine',
      'clusters: [{name: old, cluster: {server: "https://old.example.com"}}]',
      'users: [{name: old, user: {token: secret}}]',
      `contexts: [${JSON.stringify(old)}]`,
      'current-context: old',
    ].join('\n');
    writeFileSync(file, text);
    await cli(['kubeconfig', 'acme', '--merge', file, ...HOST]);
    await cli(['kubeconfig', 'globex', '--merge', file, ...HOST]);
    expect(readFileSync(file, 'utf8')).toContain('# mine');
    const merged = parse(readFileSync(file, 'utf8'));
    expect(merged.contexts.map(({ name }: { name: string }) => name)).toEqual([
      'old',
      'kubeveil-acme',
      'kubeveil-globex',
    ]);
    expect(merged.contexts[0]).toEqual(old);
    expect(merged['current-context']).toBe('kubeveil-globex');
    expect(await kubectl(file, '--context=kubeveil-acme get namespaces')).toMatchObject({ code: 0 });
  });

  it('leaves a file alone that is no kubeconfig', async () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'kind: Notes\n');
    const { code, stderr } = await runCli(['kubeconfig', 'acme', '--merge', file, ...HOST]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is not a kubeconfig') });
    expect(readFileSync(file, 'utf8')).toBe('kind: Notes\n');
  });
});

describe('kubeconfig of a service account', () => {
  it('holds a token that is good at the proxy for what the account may do, and nowhere else', async () => {
    await acme.kubectl('create namespace cli-accounts');
    await acme.kubectl('create serviceaccount bot -n cli-accounts');
    await acme.kubectl('create rolebinding bots -n cli-accounts --clusterrole=view --serviceaccount=cli-accounts:bot');
    const file = join(folder, 'bot.kubeconfig');
    await cli(['kubeconfig', 'acme', '--service-account', 'cli-accounts/bot', '--ttl', '1h', '--out', file, ...HOST]);
    expect(await kubectl(file, 'get configmaps -n cli-accounts')).toMatchObject({ code: 0 });
    expect(await kubectl(file, 'get secrets -n cli-accounts')).toMatchObject({ code: 1 });
    const [{ user }] = parse(readFileSync(file, 'utf8')).users;
    const { server, caPem } = inject('controlPlane');
    expect((await requestOnce({ server, caPem, path: '/api', token: user.token })).status).toBe(401);
  });

  it.each([
    [['--service-account', 'bot'], 'NAMESPACE/NAME'],
    [['--service-account', 'a/b', '--oidc-issuer', 'https://x', '--oidc-client-id', 'y'], 'two users'],
    [['--oidc-issuer', 'https://x'], 'go together'],
  ])('is refused with %j', async (args, words) => {
    const { code, stderr } = await runCli(['kubeconfig', 'acme', ...args, ...HOST]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
  });
});

describe('tenant suspend, resume and revoke', () => {
  it('take a tenant or one certificate out of service, and the tenant back in', async () => {
    const id = 'umbrella';
    const [one, two] = ['one', 'two'].map((name) => join(folder, `${name}.kubeconfig`)) as [string, string];
    await cli(['tenant', 'create', id, '--out', one, ...HOST]);
    await cli(['kubeconfig', id, '--out', two, ...HOST]);
    const ask = async (file: string) =>
      (await requestOnce({ server: facts.server, caPem: facts.caPem, path: '/api', ...credentialOf(file) })).status;
    expect([await ask(one), await ask(two)]).toEqual([200, 200]);

    await cli(['tenant', 'suspend', id, ...HOST]);
    await expect.poll(() => ask(one), { timeout: 10_000 }).toBe(403);
    await cli(['tenant', 'resume', id, ...HOST]);
    await expect.poll(() => ask(one), { timeout: 10_000 }).toBe(200);

    expect(await cli(['tenant', 'revoke', id, '--file', one, ...HOST])).toContain('counts no more');
    await expect.poll(() => ask(one), { timeout: 10_000 }).toBe(401);
    expect(await ask(two)).toBe(200);
    expect(await cli(['tenant', 'revoke', id, '--file', one, ...HOST])).toContain('was revoked before');
    expect((await runCli(['tenant', 'revoke', id, '--serial', 'xyz', ...HOST])).stderr).toContain('hexadecimal');
    expect((await runCli(['tenant', 'suspend', 'nobody', ...HOST])).stderr).toContain('there is no tenant nobody');
  });
});

describe('tenant delete', () => {
  it('takes all that was its own and nothing else; the id may be used again, the old credential may not', async () => {
    const file = join(folder, 'initech.kubeconfig');
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'staplers.initech.example.com' },
      spec: {
        group: 'initech.example.com',
        scope: 'Cluster',
        names: { plural: 'staplers', singular: 'stapler', kind: 'Stapler' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    expect(await runKubectl(file, ['create', '-f', '-'], { stdin: JSON.stringify(crd) })).toMatchObject({ code: 0 });
    for (const args of ['create namespace desk', 'create clusterrole staple --verb=get --resource=pods']) {
      expect(await kubectl(file, args)).toMatchObject({ code: 0 });
    }
    const held = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', finalizers: ['example.com/hold'] } };
    const made = await runKubectl(file, ['create', '-n', 'desk', '-f', '-'], { stdin: JSON.stringify(held) });
    expect(made).toMatchObject({ code: 0 });
    const old = credentialOf(file);

    await expectHostUnchanged(host, 'initech', async () => {
      const printed = await cli(['tenant', 'delete', 'initech', ...HOST]);
      expect(printed).toContain('tenant initech and everything that was its own are gone');
    });
    for (const path of [
      '/api/v1/namespaces',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      '/api/v1/pods',
    ]) {
      const { body } = await host.send('GET', path);
      expect(JSON.stringify(body)).not.toContain('initech--');
    }
    const { server, caPem } = facts;
    const path = '/api/v1/namespaces';
    expectStatus(await requestOnce({ server, caPem, path, ...old }), 401, 'Unauthorized');

    await cli(['tenant', 'create', 'initech', '--out', file, ...HOST]);
    expectStatus(await requestOnce({ server, caPem, path, ...old }), 401, 'Unauthorized');
    const fresh = await requestOnce({ server, caPem, path, ...credentialOf(file) });
    expect((JSON.parse(fresh.text) as KubeObject).items).toHaveLength(4);
    await cli(['tenant', 'delete', 'initech', ...HOST]);
  });

  it('refuses one that is not there', async () => {
    const { code, stderr } = await runCli(['tenant', 'delete', 'nobody', ...HOST]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^kubeveil: there is no tenant nobody;/),
    });
  });
});
