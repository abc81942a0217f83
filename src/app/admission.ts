/** Tenants' own admission in its production form. */
import { createAdmission } from '../admission/admission.ts';
import { mergeSchemaOf } from '../admission/schema.ts';
import { createKindSchemas } from '../admission/schemas.ts';
import { typeWarnings } from '../admission/type-check.ts';
import { schemaTypes } from '../cel/kubernetes/schema-types.ts';
import { ApiError } from '../errors.ts';
import { type JsonObject, splitApiVersion } from '../k8s/types.ts';
import { CpuShare, type CpuShareOptions } from '../lib/cpu-share.ts';
import { logger } from '../observe/log.ts';
import type { Admission, Upstream, Webhooks } from '../ports.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { HostView } from './host-view.ts';

export interface AdmissionParts {
  upstream: Upstream;
  view: HostView;
}

/** A tenth of one core, with room for what is large and rare. */
const SHARE: CpuShareOptions = {
  burstMs: 200,
  msPerSecond: 100,
  late: (_waitMs, cause) =>
    new ApiError('ERR_TIMEOUT', 'admission policies took more time than there is; try again', { cause }),
};

export interface Admissions {
  /** With the webhooks by way of what is given; all share what a tenant may use of the process. */
  with(webhooks: Webhooks): Admission;
  /** `status.typeChecking.expressionWarnings` of a ValidatingAdmissionPolicy, in the tenant's terms. */
  typeWarnings(tenant: Tenant, policy: JsonObject, signal: AbortSignal): Promise<JsonObject[]>;
}

export function admissionsBy({ upstream, view }: AdmissionParts): Admissions {
  const log = logger('admission');
  const schemas = createKindSchemas(upstream);
  const share = new CpuShare(SHARE);
  return {
    with: (webhooks) =>
      createAdmission({
        store: view.configurations,
        authorizer: view.authorizer,
        share,
        webhooks,
        async schemaOf({ tenant, kind }, apiVersion) {
          const [group, version] = splitApiVersion(apiVersion);
          const at = view.kinds.byKind(tenant, group, version, kind.kind);
          const schema = at && (await schemas(at));
          return schema && mergeSchemaOf(schema);
        },
        onAnnotation: ({ tenant, resource }, key, value) =>
          log.info({ tenant: tenant.id, resource, annotation: key, value }, 'a policy or webhook noted something'),
      }),
    typeWarnings: (tenant, policy, signal) =>
      typeWarnings(policy, {
        kindOf: (...names) => view.kinds.byResource(tenant, ...names)?.kind.kind,
        async typesOf({ group, version, kind }) {
          const at = view.kinds.byKind(tenant, group, version, kind);
          const found = at && (await schemas(at));
          return found && schemaTypes(kind, found.schema, found.schemas);
        },
        async inTurn(work) {
          signal.throwIfAborted();
          return await share.run(tenant.id, signal, work);
        },
      }),
  };
}
