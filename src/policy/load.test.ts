import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadPolicies, PolicyError, parsePolicy } from './load.ts';

const HEAD = 'apiVersion: kubeveil.dev/v1alpha1\nkind: Policy\n';

function problems(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof PolicyError) return error.problems;
    throw error;
  }
  return [];
}

describe('parsePolicy', () => {
  it('fills in what is left out', () => {
    expect(parsePolicy(HEAD, 'x.yaml')).toEqual({
      admission: { webhookHosts: [], controllerObjects: false },
      apiVersion: 'kubeveil.dev/v1alpha1',
      kind: 'Policy',
      profile: 'baseline',
      kinds: { deny: [] },
      shared: {
        nodes: true,
        storageClasses: [],
        ingressClasses: [],
        priorityClasses: [],
        runtimeClasses: [],
        volumeAttributesClasses: [],
        deviceClasses: [],
      },
      pods: {},
      services: {},
      ingresses: {},
      network: {},
      containers: {},
      rules: [],
      limits: {
        requestsInFlight: 100,
        requestsInFlightPerUser: 60,
        requestsWaiting: 400,
        requestsPerSecond: 2000,
        requestsPerSecondPerUser: 1000,
        watches: 2000,
        watchesPerUser: 1000,
        requestBodyBytes: 3 * 1024 * 1024,
        namespaces: 500,
        customResourceDefinitions: 200,
      },
      reservedTenantIds: [],
      watchSecretsAcrossNamespaces: false,
      consistency: 'linearizable',
    });
  });

  it('reads every setting', () => {
    const text = `${HEAD}profile: trusted
kinds: {deny: [cronjobs.batch]}
shared: {nodes: false, storageClasses: all, ingressClasses: [nginx]}
limits: {requestsInFlight: 7, watches: 8, requestBodyBytes: 64Ki, requestsPerSecond: unlimited}
reservedTenantIds: [staging]
watchSecretsAcrossNamespaces: true
`;
    expect(parsePolicy(text, 'x.yaml')).toMatchObject({
      profile: 'trusted',
      kinds: { deny: ['cronjobs.batch'] },
      shared: { nodes: false, storageClasses: 'all', ingressClasses: ['nginx'] },
      limits: { requestsInFlight: 7, watches: 8, requestBodyBytes: 65_536, requestsPerSecond: undefined },
      reservedTenantIds: ['staging'],
      watchSecretsAcrossNamespaces: true,
    });
  });

  const bad: [text: string, problem: string][] = [
    ['', 'x.yaml:1:1: expected object, received null'],
    ['- a', 'x.yaml:1:1: expected object, received array'],
    ['a: [', 'x.yaml:1:5: Flow sequence'],
    ['a: 1\na: 2', 'x.yaml:2:1: Map keys must be unique'],
    ['kind: Policy', 'x.yaml:1:1: apiVersion: expected "kubeveil.dev/v1alpha1"'],
    [`${HEAD}profle: baseline`, 'x.yaml:3:1: profle: there is no such setting'],
    [`${HEAD}limits:\n  watchs: 1`, 'x.yaml:4:3: limits.watchs: there is no such setting'],
    [`${HEAD}limits:\n  watches: many`, 'x.yaml:4:12: limits.watches: expected number, received string'],
    [`${HEAD}limits:\n  watches: 0`, 'x.yaml:4:12: limits.watches: Too small'],
    [`${HEAD}limits:\n  watches: 1.5`, 'x.yaml:4:12: limits.watches: expected int'],
    [`${HEAD}limits:\n  requestBodyBytes: 5Gi`, 'x.yaml:4:21: limits.requestBodyBytes: must be bytes'],
    [`${HEAD}limits:\n  requestBodyBytes: 4Mi`, 'x.yaml:4:21: limits.requestBodyBytes: must be at most 3Mi'],
    [`${HEAD}limits:\n  requestsPerSecond: fast`, 'x.yaml:4:22: limits.requestsPerSecond: must be a number'],
    [`${HEAD}profile: none`, 'x.yaml:3:10: profile: expected one of "restricted"|"baseline"|"trusted"'],
    [`${HEAD}kinds:\n  deny: [pods, cronjob.batch]`, 'x.yaml:4:16: kinds.deny[1]: "cronjob.batch" is no kind'],
    [`${HEAD}kinds:\n  deny: [secrets]`, 'x.yaml:4:10: kinds.deny[0]: "secrets" cannot be denied'],
    [`${HEAD}shared:\n  storageClasses: some`, 'x.yaml:4:19: shared.storageClasses: must be the word all, or a list'],
    [`${HEAD}shared:\n  nodes: yes`, 'x.yaml:4:10: shared.nodes: expected boolean, received string'],
    [`${HEAD}reservedTenantIds: [A]`, 'x.yaml:3:21: reservedTenantIds[0]: "A" must have 3 to 20 characters'],
    [`${HEAD}podSecurity: none`, 'x.yaml:3:14: podSecurity: expected one of "privileged"|"baseline"|"restricted"'],
    [`${HEAD}pods:\n  volumes: [hostpath]`, 'x.yaml:4:12: pods.volumes: must be the word all, or a list of sources'],
    [`${HEAD}pods:\n  nodeSelector: {a b: c}`, 'x.yaml:4:18: pods.nodeSelector.a b: must be the key'],
    [`${HEAD}pods:\n  images: ['a b']`, 'x.yaml:4:12: pods.images[0]: must have no spaces'],
    [`${HEAD}pods:\n  images: [docker.io]`, 'x.yaml:4:12: pods.images[0]: must begin with a registry and a slash'],
    [`${HEAD}pods:\n  images: ['https://x/']`, 'x.yaml:4:12: pods.images[0]: must begin with a registry and a slash'],
    [`${HEAD}pods:\n  tolerations: [{key: a}]`, 'x.yaml:4:17: pods.tolerations[0].effect: '],
    [`${HEAD}services:\n  endpoints: [10.0.0.1/8]`, 'x.yaml:4:14: services.endpoints: must be the word all or public'],
    [`${HEAD}ingresses:\n  hosts: ['*']`, 'x.yaml:4:11: ingresses.hosts[0]: must be a host'],
    [`${HEAD}quota: {pod: 1}`, 'x.yaml:3:9: quota.pod: must be what a ResourceQuota counts'],
    [`${HEAD}quota: {pods: many}`, 'x.yaml:3:15: quota.pods: must be a quantity'],
    [`${HEAD}containers:\n  max: {gpu: 1}`, 'x.yaml:4:9: containers.max.gpu: '],
    [`${HEAD}__proto__: {a: 1}`, 'x.yaml:3:1: __proto__: there is no such setting'],
  ];
  it.each(bad)('%j is refused', (text, problem) => {
    expect(problems(() => parsePolicy(text, 'x.yaml'))[0]).toContain(problem);
  });

  it('tells every problem of a file', () => {
    expect(problems(() => parsePolicy(`${HEAD}profile: none\nlimits: {watches: 0}`, 'x.yaml'))).toHaveLength(2);
  });
});

describe('loadPolicies', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubeveil-policies-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(name: string, text: string): void {
    writeFileSync(join(folder, name), text);
  }

  it('loads the policies that are shipped', () => {
    const policies = loadPolicies(new URL('../../policies', import.meta.url).pathname);
    expect(policies.of({ policy: 'default' })).toMatchObject({ name: 'default', profile: 'baseline' });
  });

  it('loads each file under its name, and reserves the ids of all', () => {
    write('default.yaml', `${HEAD}reservedTenantIds: [one-id]`);
    write('strict.yaml', `${HEAD}profile: restricted\nreservedTenantIds: [other-id]`);
    write('strict.test.yaml', 'cases: []');
    write('notes.txt', 'nothing');
    const policies = loadPolicies(folder);
    expect(policies.of({ policy: 'strict' }).profile).toBe('restricted');
    expect([...policies.reservedTenantIds].sort()).toEqual(['one-id', 'other-id']);
    expect([...policies.names].sort()).toEqual(['default', 'strict']);
  });

  it('loads none when one is wrong, and tells of all that are', () => {
    write('default.yaml', HEAD);
    write('a.yaml', 'kind: X');
    write('b.yaml', `${HEAD}x: 1`);
    const told = problems(() => loadPolicies(folder));
    expect(told.filter((problem) => problem.includes('a.yaml'))).not.toEqual([]);
    expect(told.filter((problem) => problem.includes('b.yaml:3:1: x:'))).toHaveLength(1);
  });

  it('refuses a folder without a default, a folder that is not there, and odd names', () => {
    expect(problems(() => loadPolicies(folder))).toEqual([
      `${folder}: there is no default.yaml, which tenants have that name no policy`,
    ]);
    expect(problems(() => loadPolicies(join(folder, 'no')))).toEqual([expect.stringContaining('ENOENT')]);
    write('Odd Name.yaml', HEAD);
    expect(problems(() => loadPolicies(folder))).toEqual([expect.stringContaining('lower-case letters')]);
    mkdirSync(join(folder, 'dir.yaml'));
    expect(problems(() => loadPolicies(folder))).toHaveLength(2);
  });
});
