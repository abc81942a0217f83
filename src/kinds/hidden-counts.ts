/**
 * Amounts of a ResourceQuota that are not the same upstream: in each namespace of a tenant the host counts one object
 * more than is shown, its own `kube-root-ca.crt`, and a ResourceQuota and a LimitRange of the proxy's
 * (docs/decisions/0038, 0055).
 */
export const COUNTS_WITH_HIDDEN: readonly string[] = [
  'configmaps',
  'count/configmaps',
  'resourcequotas',
  'count/resourcequotas',
  'count/limitranges',
];
