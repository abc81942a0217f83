/**
 * Runs the cases beside a policy file without any cluster: what the walls of `deploy/` say of an object in a namespace of
 * a tenant under that policy. The walls are the manifests themselves, and the expressions are run by the proxy's own CEL,
 * which is measured against the API server's. Pod Security, quotas and the schema of the object are the host's to judge and
 * not run here.
 */
import { readFileSync } from 'node:fs';
import { createAdmission } from '../admission/admission.ts';
import { parseYaml } from '../codec/yaml-read.ts';
import { type Manifest, readManifests } from '../controllers/walls/manifests.ts';
import { ApiError } from '../errors.ts';
import { nameOf } from '../k8s/meta.ts';
import { child, objects, text } from '../k8s/read.ts';
import { isObject, type JsonObject, splitApiVersion } from '../k8s/types.ts';
import { KINDS } from '../kinds/table.ts';
import { CpuShare } from '../lib/cpu-share.ts';
import type { Policy } from '../policy/policy.ts';
import type { Admission, AdmissionSubject } from '../ports.ts';
import { withGuards } from '../tenancy/host-guards.ts';
import { RULES_POLICY, TENANTS_GROUP, tenantGroup, upstreamUser } from '../tenancy/host-names.ts';
import { TENANT_LABEL, type TenantId } from '../tenancy/names.ts';

/** Every case speaks of this tenant. */
const TENANT = 'acme' as TenantId;
const NAMESPACE = `${TENANT}--default`;
const WALLS = 'kubeveil-policy-';

export interface PolicyCase {
  readonly name: string;
  readonly object: JsonObject;
  /** Who writes it: the tenant, or somebody of the host past the proxy. */
  readonly by: 'tenant' | 'host';
  /** A part of the refusal; undefined where it is allowed. */
  readonly refused: string | undefined;
}

/** Undefined when it came out as the case says; else in words what came instead. */
export type CaseFault = string | undefined;

/** @throws {Error} which names the file and the case that is none */
export function readCases(path: string): PolicyCase[] {
  const document = parseYaml(readFileSync(path, 'utf8'));
  const cases = objects(isObject(document) ? document : undefined, 'cases');
  if (cases.length === 0) throw new Error(`${path}: there is no list of cases`);
  return cases.map((one, index) => {
    const { object, by = 'tenant', refused, allowed } = one;
    const name = text(one, 'name');
    const isWhole = isObject(object) && name !== '' && (by === 'tenant' || by === 'host');
    const isJudged = (typeof refused === 'string' && refused !== '') !== (allowed === true);
    if (!isWhole || !isJudged) {
      throw new Error(
        `${path}: case ${index + 1} must have a name, an object, and either "allowed: true" or "refused: <part of the refusal>"; "by" is tenant or host`,
      );
    }
    return { name, object, by, refused: typeof refused === 'string' ? refused : undefined } as PolicyCase;
  });
}

/**
 * @param rulesPolicy what the host's policy with the rules of the files says
 * @param manifests those of `deploy/` when left out
 */
export function caseRunner(
  policy: Policy,
  rulesPolicy: JsonObject,
  manifests: readonly Manifest[] = readManifests(),
): (one: PolicyCase) => Promise<CaseFault> {
  const admission = wallsOf(manifests.map(({ object }) => withRules(object, rulesPolicy)));
  const namespace = withGuards(
    { metadata: { name: NAMESPACE, labels: { [TENANT_LABEL]: TENANT } } },
    policy.guards(TENANT),
  );
  return async ({ object, by, refused }) => {
    const why = await refusalOf(admission, subjectOf(object, by, namespace), object);
    if (refused === undefined) return why === undefined ? undefined : `should be allowed, and is refused: ${why}`;
    if (why === undefined) return `should be refused (${refused}), and is allowed`;
    return why.includes(refused) ? undefined : `should be refused with ${JSON.stringify(refused)}, and is with: ${why}`;
  };
}

async function refusalOf(
  admission: Admission,
  subject: AdmissionSubject,
  object: JsonObject,
): Promise<string | undefined> {
  const round = admission(subject);
  if (round === undefined) return undefined;
  try {
    await round.validate(await round.mutate(structuredClone(object), undefined), undefined);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

/** The walls of the policy files as the proxy's own admission takes a tenant's policies. */
function wallsOf(manifests: readonly JsonObject[]): Admission {
  const walls = manifests.filter((object) => isWall(nameOf(object), text(object, 'kind')));
  const sorted = (kind: string) =>
    walls
      .filter((object) => object['kind'] === kind)
      .map((policy) => ({
        policy,
        bindings: walls.filter(
          (one) => text(child(one, 'spec'), 'policyName') === nameOf(policy) && one['kind'] === `${kind}Binding`,
        ),
      }));
  const policies = {
    mutating: sorted('MutatingAdmissionPolicy'),
    validating: sorted('ValidatingAdmissionPolicy'),
  };
  const unasked = () => {
    throw new Error('the walls of policy files ask nobody');
  };
  return createAdmission({
    store: { synced: true, policies: (_tenant, sort) => policies[sort], webhooks: () => [] },
    authorizer: { decide: unasked, rulesFor: unasked, roleRules: unasked },
    share: new CpuShare({ burstMs: 60_000, msPerSecond: 60_000, late: unasked }),
    webhooks: { call: unasked } as never,
    schemaOf: async () => undefined,
    onAnnotation: () => {},
  });
}

function isWall(name: string, kind: string): boolean {
  return (name.startsWith(WALLS) || name === RULES_POLICY) && kind.includes('AdmissionPolicy');
}

/** The manifest of that policy as the proxy keeps it. */
function withRules(object: JsonObject, spec: JsonObject): JsonObject {
  const isIt = object['kind'] === 'ValidatingAdmissionPolicy' && nameOf(object) === RULES_POLICY;
  return isIt ? { ...object, spec } : object;
}

function subjectOf(object: JsonObject, by: PolicyCase['by'], namespace: JsonObject): AdmissionSubject {
  const [group, version] = splitApiVersion(text(object, 'apiVersion'));
  const kind = text(object, 'kind');
  const resource = KINDS.find((one) => one.group === group && one.kind === kind)?.resource;
  if (resource === undefined) throw new Error(`${kind} of ${JSON.stringify(group)} is no kind that kubeveil knows`);
  const identity =
    by === 'tenant'
      ? { username: upstreamUser(TENANT), groups: [TENANTS_GROUP, tenantGroup(TENANT)], uid: '', extra: {} }
      : { username: 'somebody', groups: ['system:masters'], uid: '', extra: {} };
  return {
    tenant: { id: TENANT, uid: 'uid', createdAt: '', phase: 'Active', clientCaPem: '', policy: '' },
    identity,
    operation: 'CREATE',
    ...{ group, version, resource, subresource: '', namespace: NAMESPACE, name: nameOf(object) },
    kind: { group, version, kind },
    dryRun: false,
    options: {},
    signal: new AbortController().signal,
    namespaceObject: () => namespace,
    find: async () => [],
    isNamespaced: () => true,
    equivalents: () => [],
    convert: async () => [],
  };
}
