/**
 * Expressions of every library, run by the API server and by the proxy over the same object: the same verdicts, and the
 * same words where one fails. Policies that only warn tell all of it in one answer.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createAdmission } from '../../src/admission/admission.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { CpuShare } from '../../src/lib/cpu-share.ts';
import { warningHeaders } from '../../src/lib/warning-header.ts';
import type { AdmissionSubject } from '../../src/ports.ts';
import type { Tenant } from '../../src/tenancy/tenant.ts';
import { expressionProblems } from '../../src/virtual/expressions.ts';
import { binding, deployment, policy } from '../support/admission-vectors.ts';
import { adminClient } from '../support/control-plane.ts';
import { jsonOf, requestOnce } from '../support/http.ts';
import { eventually } from '../support/processes.ts';

const NAMESPACE = 'cel-differential';
const GROUP = '/apis/admissionregistration.k8s.io/v1';
const ALL = readFileSync(new URL('../vectors/cel-expressions.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const USE = { use: 'validation', hasParams: false } as const;
/** Those that compile: what is said of the others is compared first. */
const EXPRESSIONS = ALL.filter((text, index) => expressionProblems(fieldOf(index), { ...USE, text }).length === 0);
/** Warnings of one answer are cut when they are too many. */
const PER_POLICY = 10;

function fieldOf(index: number): string {
  return `spec.validations[${index}].expression`;
}

const client = adminClient(inject('controlPlane'));

const batches = Array.from({ length: Math.ceil(EXPRESSIONS.length / PER_POLICY) }, (_none, index) => {
  const name = `cel-${index}`;
  const expressions = EXPRESSIONS.slice(index * PER_POLICY, (index + 1) * PER_POLICY);
  const resourceRules = [
    { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] },
  ];
  const matchConditions = [{ name: 'batch', expression: `object.metadata.annotations['batch'] == '${name}'` }];
  const spec = {
    matchConstraints: {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': NAMESPACE } },
      objectSelector: { matchLabels: { batch: name } },
      resourceRules,
    },
    matchConditions,
    validations: [...expressions.map((expression) => ({ expression })), { expression: 'false', message: 'the end' }],
  };
  return {
    name,
    expressions,
    policy: policy('Validating', name, spec as unknown as JsonObject),
    binding: binding('Validating', name, name, { validationActions: ['Warn'] }),
  };
});

function body(batch: string): JsonObject {
  const container = (name: string, cpu: string) => ({
    name,
    image: `reg/${name}`,
    resources: { limits: { cpu, memory: '128Mi' } },
  });
  const labels = { 'app.kubernetes.io/name': 'shop', tier: 'web', batch };
  const made = deployment(
    'cel',
    {
      replicas: 3,
      selector: { matchLabels: { app: 'cel' } },
      template: {
        metadata: { labels: { app: 'cel' } },
        spec: { containers: [container('c', '500m'), container('d', '50m')] },
      },
    },
    { labels, annotations: { batch } },
  );
  return made;
}

async function ask(batch: string) {
  const { server, caPem, adminCertPem: certPem, adminKeyPem: keyPem } = inject('controlPlane');
  const answer = await requestOnce({
    server,
    caPem,
    certPem,
    keyPem,
    method: 'POST',
    path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments?dryRun=All`,
    body: JSON.stringify(body(batch)),
  });
  return { warnings: String(answer.headers['warning'] ?? ''), object: jsonOf<JsonObject>(answer) };
}

beforeAll(async () => {
  await client.send('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE },
  });
  for (const batch of batches) {
    const made = await client.send('POST', `${GROUP}/validatingadmissionpolicies`, batch.policy);
    expect(made).toMatchObject({ status: 201 });
    await client.send('POST', `${GROUP}/validatingadmissionpolicybindings`, batch.binding);
  }
});

afterAll(async () => {
  for (const { name } of batches) {
    await client.send('DELETE', `${GROUP}/validatingadmissionpolicybindings/${name}`);
    await client.send('DELETE', `${GROUP}/validatingadmissionpolicies/${name}`);
  }
  await client.send('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
  client.close();
});

async function ours(batch: (typeof batches)[number], object: JsonObject): Promise<string> {
  const { body: namespace } = await client.send('GET', `/api/v1/namespaces/${NAMESPACE}`);
  const admission = createAdmission({
    store: {
      synced: true,
      policies: (_tenant, sort) => (sort === 'mutating' ? [] : [{ policy: batch.policy, bindings: [batch.binding] }]),
      webhooks: () => [],
    },
    webhooks: { call: async () => ({ failure: 'there are none' }) },
    authorizer: {
      decide: () => ({ allowed: true, reason: '' }),
      rulesFor: () => ({ granted: [], errors: [] }),
      roleRules: () => [],
    },
    share: new CpuShare({ burstMs: 60_000, msPerSecond: 60_000, late: () => new Error('late') }),
    schemaOf: async () => undefined,
    onAnnotation: () => {},
  });
  const subject: AdmissionSubject = {
    tenant: { id: 'acme' } as unknown as Tenant,
    identity: { username: 'x', groups: [], uid: '', extra: {} },
    operation: 'CREATE',
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
    subresource: '',
    namespace: NAMESPACE,
    name: 'cel',
    kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
    dryRun: true,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
    signal: new AbortController().signal,
    namespaceObject: () => namespace as JsonObject,
    find: async () => undefined,
    isNamespaced: () => undefined,
    equivalents: () => [],
    convert: async () => [],
  };
  const round = admission(subject);
  await round?.validate(object, undefined);
  return warningHeaders(round?.warnings ?? []).join(', ');
}

/** One line for each warning, without who it is of. */
function lines(warnings: string): string[] {
  return warnings
    .split(/, 299 - (?="Validation failed)/)
    .map((text) => text.replace(/^(?:299 - )?"Validation failed for [^:]*: |"$/g, ''));
}

it('refuses what the API server refuses, in its words', async () => {
  const resourceRules = [
    { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] },
  ];
  const all = policy('Validating', 'all', {
    matchConstraints: { resourceRules },
    validations: ALL.map((expression) => ({ expression })),
  } as unknown as JsonObject);
  const { body: answer } = await client.send('POST', `${GROUP}/validatingadmissionpolicies?dryRun=All`, all);
  const { causes } = (answer as { details: { causes: { field: string; message: string }[] } }).details;
  const mine = ALL.flatMap((text, index) => expressionProblems(fieldOf(index), { ...USE, text }));
  expect(mine.map(({ field, message }) => ({ field, message }))).toEqual(
    causes.map(({ field, message }) => ({ field, message })),
  );
});

describe.each(batches)('$name', (batch) => {
  it('gives what the API server gives', async () => {
    let answer = await ask(batch.name);
    await eventually('the policy acts', async () => {
      answer = await ask(batch.name);
      return answer.warnings.includes('the end');
    });
    expect(lines(await ours(batch, answer.object))).toEqual(lines(answer.warnings));
  });
});
