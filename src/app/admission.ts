/** Tenants' own admission in its production form. */
import { createAdmission } from '../admission/admission.ts';
import { CpuShare } from '../admission/cpu-share.ts';
import { createMergeSchemas } from '../admission/schemas.ts';
import { logger } from '../observe/log.ts';
import type { Admission, Upstream } from '../ports.ts';
import type { HostView } from './host-view.ts';

export function admissionBy({ upstream, view }: { upstream: Upstream; view: HostView }): Admission {
  const log = logger('admission');
  const schemas = createMergeSchemas(upstream);
  return createAdmission({
    store: view.configurations,
    authorizer: view.authorizer,
    share: new CpuShare(),
    async schemaOf({ tenant, group, version, resource }) {
      const at = view.kinds.byResource(tenant, group, version, resource);
      return at === undefined ? undefined : await schemas(at);
    },
    onAnnotation: ({ tenant, resource }, key, value) =>
      log.info({ tenant: tenant.id, resource, annotation: key, value }, 'a policy noted something'),
  });
}
