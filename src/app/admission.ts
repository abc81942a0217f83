/** Tenants' own admission in its production form. */
import { createAdmission } from '../admission/admission.ts';
import { CpuShare } from '../admission/cpu-share.ts';
import { createMergeSchemas } from '../admission/schemas.ts';
import { splitApiVersion } from '../k8s/types.ts';
import { logger } from '../observe/log.ts';
import type { Admission, Upstream, Webhooks } from '../ports.ts';
import type { HostView } from './host-view.ts';

export interface AdmissionParts {
  upstream: Upstream;
  view: HostView;
  webhooks: Webhooks;
}

export function admissionBy({ upstream, view, webhooks }: AdmissionParts): Admission {
  const log = logger('admission');
  const schemas = createMergeSchemas(upstream);
  return createAdmission({
    store: view.configurations,
    authorizer: view.authorizer,
    share: new CpuShare(),
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
