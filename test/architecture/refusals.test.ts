/**
 * Whatever a policy of `deploy/` refuses, and however it fails, a tenant reads words for a tenant: no expression, no name of
 * a policy, an account or a namespace of the host's. In answers, and in events and conditions, which quote answers.
 */
import { describe, expect, it } from 'vitest';
import { readManifests } from '../../src/controllers/walls/manifests.ts';
import { nameOf } from '../../src/k8s/meta.ts';
import { child, objects, text } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { TenantName } from '../../src/tenancy/names.ts';
import { NOT_JUDGED, TOO_MUCH_SAID } from '../../src/translate/own-policies.ts';
import { textToTenant } from '../../src/translate/status.ts';
import { messageToTenant } from '../../src/translate/targets/message.ts';
import { scopeOf } from '../support/translate-scope.ts';

const policies = readManifests()
  .map(({ object }) => object)
  .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy' || kind === 'MutatingAdmissionPolicy');
const REQUEST = { group: '', resource: 'pods', name: 'p', namespace: 'web' as TenantName };
const COST = 'operation cancelled: actual cost limit exceeded';

/** How the API server says who refuses. */
function refusals(policy: JsonObject, said: string): string[] {
  const name = nameOf(policy);
  if (policy['kind'] === 'MutatingAdmissionPolicy')
    return [
      `policy '${name}' with binding '${name}' denied request: ${said}`,
      `policy "${name}" denied request: ${said}`,
      // On a host that does not run such policies.
      `admission webhook "${name}.kubeveil.dev" denied the request: ${said}`,
    ];
  return [`with binding '${name}' `, ''].map(
    (binding) => `pods "p" is forbidden: ValidatingAdmissionPolicy '${name}' ${binding}denied request: ${said}`,
  );
}

/** As an answer, and as a controller quotes it. */
function shown(refusal: string): string[] {
  const scope = scopeOf('acme');
  return [textToTenant(refusal, scope, REQUEST), messageToTenant(`Error creating: ${refusal}`, scope)];
}

function expressionsOf(policy: JsonObject): string[] {
  const spec = child(policy, 'spec');
  return [
    ...['matchConditions', 'variables', 'validations']
      .flatMap((list) => objects(spec, list))
      .map((one) => text(one, 'expression')),
    ...objects(spec, 'validations').map((one) => text(one, 'messageExpression')),
    ...objects(spec, 'mutations').map((one) => text(child(one, 'jsonPatch'), 'expression')),
  ].filter((one) => one !== '');
}

describe.each(policies.map((policy) => [`${policy['kind']} ${nameOf(policy)}`, policy] as const))(
  '%s',
  (_name, policy) => {
    it('shows no expression when one of its own fails', () => {
      const expressions = expressionsOf(policy);
      expect(expressions).not.toHaveLength(0);
      for (const expression of expressions) {
        const failed = [
          `expression '${expression}' resulted in error: no such key: x`,
          `composited variable "marks" fails to evaluate: ${expression}`,
          `failed messageExpression: ${expression}`,
          `failed expression: ${expression}`,
          `failed to configure policy: ${expression}`,
          `JSON Patch: add operation does not apply: ${expression}`,
        ];
        for (const said of failed)
          for (const refusal of refusals(policy, said))
            for (const seen of shown(refusal)) expect(seen.endsWith(NOT_JUDGED) ? NOT_JUDGED : seen).toBe(NOT_JUDGED);
        for (const refusal of refusals(policy, `expression '${expression}' resulted in error: ${COST}`))
          for (const seen of shown(refusal)) {
            expect(seen.endsWith(TOO_MUCH_SAID)).toBe(true);
            expect(seen).not.toMatch(/kubeveil|variables\.|expression/);
          }
      }
    });

    it('has words of its own for each thing that it refuses, without names of the host’s', () => {
      for (const validation of objects(child(policy, 'spec'), 'validations')) {
        const message = text(validation, 'message');
        // An expression gives none where it fails, or says too much.
        expect(message, text(validation, 'expression')).not.toBe('');
        for (const refusal of refusals(policy, message))
          for (const seen of shown(refusal)) {
            expect(seen).not.toMatch(/kubeveil[-:]|AdmissionPolicy|denied request/);
            expect(seen).not.toContain(NOT_JUDGED);
          }
      }
    });
  },
);

describe('texts of others', () => {
  it.each([
    `pods "p" is forbidden: ValidatingAdmissionPolicy 'site' with binding 'site' denied request: expression 'x' resulted in error: y`,
    'policy of the house',
  ])('stay: %s', (text) => {
    expect(messageToTenant(text, scopeOf('acme'))).toBe(text);
  });

  it('keep what the relay tells of a tenant’s own admission', () => {
    const own = 'admission webhook "mesh.acme.io" denied the request: no';
    for (const seen of shown(`admission webhook "relay.kubeveil.dev" denied the request: ${own}`)) {
      expect(seen.endsWith(own) && !seen.includes('kubeveil')).toBe(true);
    }
  });

  it.each(['relay', 'kubeveil-pods'])('say that %s could not be asked, and not where', (name) => {
    const why = `failed to call webhook: Post "https://10.0.0.1:8443/kubeveil.dev/x/0f3b/y?timeout=10s": dial tcp: refused`;
    for (const seen of shown(`Internal error occurred: failed calling webhook "${name}.kubeveil.dev": ${why}`)) {
      expect(seen.endsWith(`Internal error occurred: ${NOT_JUDGED}`)).toBe(true);
    }
    const others = `failed calling webhook "mesh.acme.io": ${why.replace('kubeveil.dev/x/0f3b/y', 'mesh')}`;
    for (const seen of shown(others)) expect(seen.endsWith(others)).toBe(true);
  });

  it('that quote more refusals than anybody is answered are cut short, not worked through', () => {
    const quoted = "ValidatingAdmissionPolicy 'kubeveil-x' denied request: ";
    const [answer, event] = shown(`${quoted.repeat(20_000)}no`);
    for (const seen of [answer ?? '', event ?? '']) expect(seen.endsWith(NOT_JUDGED)).toBe(true);
    for (const seen of shown(`${quoted.repeat(3)}no`)) expect(seen.endsWith('no')).toBe(true);
  });

  it('keep what stands before a refusal that they quote', () => {
    const [refusal = ''] = refusals(policies[0] as JsonObject, 'not so');
    expect(messageToTenant(`a: ${refusal}`, scopeOf('acme'))).toMatch(/^a: /);
  });
});
