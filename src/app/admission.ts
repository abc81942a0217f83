/** Tenants' own admission in its production form. */
import { createAdmission } from '../admission/admission.ts';
import { createMergeSchemas } from '../admission/schemas.ts';
import { ApiError } from '../errors.ts';
import { splitApiVersion } from '../k8s/types.ts';
import { CpuShare, type CpuShareOptions } from '../lib/cpu-share.ts';
import { logger } from '../observe/log.ts';
import type { Admission, Upstream, Webhooks } from '../ports.ts';
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

/** With the webhooks by way of what is given; all share what a tenant may use of the process. */
export function admissionsBy({ upstream, view }: AdmissionParts): (webhooks: Webhooks) => Admission {
  const log = logger('admission');
  const schemas = createMergeSchemas(upstream);
  const share = new CpuShare(SHARE);
  return (webhooks) =>
    createAdmission({
      store: view.configurations,
      authorizer: view.authorizer,
      share,
      webhooks,
      async schemaOf({ tenant, kind }, apiVersion) {
        const [group, version] = splitApiVersion(apiVersion);
        const at = view.kinds.byKind(tenant, group, version, kind.kind);
        return at === undefined ? undefined : await schemas(at);
      },
      onAnnotation: ({ tenant, resource }, key, value) =>
        log.info({ tenant: tenant.id, resource, annotation: key, value }, 'a policy or webhook noted something'),
    });
}
