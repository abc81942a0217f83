/**
 * How the proxy's own things are called on the host: its namespace and accounts, the user and groups that a tenant's
 * requests run as, labels, finalizers, and the objects that more than one part of the program speaks of. The manifests in
 * `deploy/` and their walls know these names too, so a change here is a change there.
 *
 * Nothing of a tenant may carry these names: what begins with `kubeveil:` is refused and hidden, as is every label,
 * annotation and finalizer below `kubeveil.dev/` (`OWN_PREFIX`).
 */
import { OWN_PREFIX, type TenantId } from './names.ts';

/** The namespace of the proxy's accounts, secrets and leases. */
export const PROXY_NAMESPACE = 'kubeveil-system';
export const PROXY_NAMESPACE_PATH = `/api/v1/namespaces/${PROXY_NAMESPACE}`;

/** The service accounts in {@link PROXY_NAMESPACE} that requests run as, by the kind of identity. */
export const ACCOUNTS = {
  tenant: 'kubeveil-datapath',
  reader: 'kubeveil-reader',
  provisioner: 'kubeveil-provisioner',
  /** No right of the reader's is used by it. */
  nobody: 'kubeveil-reader',
} as const;

/** Of users, groups, and names of RBAC objects that are the proxy's. */
export const OWN_NAME_PREFIX = 'kubeveil:';

/** The group of all tenants' requests. */
export const TENANTS_GROUP = `${OWN_NAME_PREFIX}tenants`;

/** Reserved, so that no tenant is ever called so, and no list of the host ever names it. */
export const NOBODY = 'system' as TenantId;

/** The user that requests of a tenant run as. No stored subject ever has this form (see inert.ts). */
export function upstreamUser(tenant: TenantId): string {
  return `${OWN_NAME_PREFIX}${tenant}`;
}

/** What controllers do in a tenant's name, the host is told that this user of it does. No other user is told of so. */
export const CONTROLLER_USER = `${OWN_NAME_PREFIX}controller`;

/** The group that holds a tenant's rights on the host. */
export function tenantGroup(tenant: TenantId): string {
  return `${OWN_NAME_PREFIX}tenant:${tenant}`;
}

/** What requests of a tenant say besides to the host, for its audit: keys of `extra`, below `kubeveil.dev/`. */
export const IDENTITY_EXTRAS = ['user', 'uid', 'groups', 'impersonator'] as const;

/** The group of requests of trusted tenants: the walls let it do what they refuse other tenants. */
export const TRUSTED_GROUP = `${OWN_NAME_PREFIX}trusted`;

/** The groups that requests of a tenant run in. */
export function upstreamGroups(tenant: TenantId, isTrusted = false): readonly string[] {
  return [TENANTS_GROUP, tenantGroup(tenant), ...(isTrusted ? [TRUSTED_GROUP] : [])];
}

/** The API group of Tenants, and the domain of our labels and finalizers. */
export const OWN_GROUP = 'kubeveil.dev';
export const OWN_API_VERSION = `${OWN_GROUP}/v1alpha1`;
export const TENANTS_PATH = `/apis/${OWN_API_VERSION}/tenants`;

/** Plural and kind of what {@link OWN_GROUP} serves, in small letters: kubectl finds kinds by either. */
export const OWN_KINDS: ReadonlySet<string> = new Set(['tenants', 'tenant']);

/** On a Tenant: nothing of it is left on the host when this goes. */
export const TENANT_FINALIZER = `${OWN_PREFIX}tenant`;
/** Label and finalizer of what gives a tenant its rights. */
export const GUARD = `${OWN_PREFIX}guard`;
/** Annotation of a tenant's CRD with its conversion by webhook, in JSON and the tenant's terms: upstream it has none. */
export const CONVERSION_MARK = `${OWN_PREFIX}conversion`;
/** Annotations of a pod that say what the host's policy put into it (deploy/47-pods.yaml). */
export const POD_MARKS = {
  namespace: `${OWN_PREFIX}namespace`,
  serviceHost: `${OWN_PREFIX}service-host`,
  servicePort: `${OWN_PREFIX}service-port`,
  /** The `dnsPolicy` that the pod was made with, where another is in its place. */
  dns: `${OWN_PREFIX}dns`,
  /** `1/projected/sources/0=api`, with spaces between: tokens that were asked for under a name of the API server. */
  audiences: `${OWN_PREFIX}audiences`,
} as const;
/** A label that no object has: whoever selects it finds nothing. */
export const NOTHING_LABEL = `${OWN_PREFIX}nothing`;

export const IMPERSONATION_ROLE = `${OWN_NAME_PREFIX}impersonation`;
/** Whose annotations are the settings of that policy. */
export const POD_SETTINGS_ROLE = `${OWN_NAME_PREFIX}pods`;
export const READER_CUSTOM_ROLE = `${OWN_NAME_PREFIX}reader-custom`;
/** The ClusterRole with a tenant's rights in its namespaces, and the RoleBinding that gives them in one. */
export const GUARD_NAME = `${OWN_NAME_PREFIX}guard`;
/** The ValidatingAdmissionPolicy whose spec follows from the policy files: src/policy/rules-policy.ts. */
export const RULES_POLICY = 'kubeveil-rules';
/** How NetworkPolicies, ResourceQuotas and LimitRanges of the proxy in a tenant's namespace are called, or begin. */
export const GUARD_OBJECT = 'kubeveil.dev';
/** The RoleBinding that gives the rights on a tenant's own kinds in one namespace. */
export const CUSTOM_NAME = `${OWN_NAME_PREFIX}custom`;

/** The ClusterRole with the rights on a tenant's own API groups. */
export function customRoleName(tenant: TenantId): string {
  return `${CUSTOM_NAME}:${tenant}`;
}

/** The Secret with the CA that signs a tenant's client certificates. */
export function clientCaSecretName(tenant: TenantId): string {
  return `tenant-ca-${tenant}`;
}

const CLIENT_CA_NAME = 'kubeveil tenant ';

/** The common name of that CA; its OU is the tenant's uid. */
export function clientCaCommonName(tenant: TenantId): string {
  return `${CLIENT_CA_NAME}${tenant}`;
}

/** The id in the common name of a CA, whether or not such a tenant lives; undefined for any other name. */
export function tenantOfClientCa(commonName: string): TenantId | undefined {
  return commonName.startsWith(CLIENT_CA_NAME) ? (commonName.slice(CLIENT_CA_NAME.length) as TenantId) : undefined;
}

/** The ConfigMap that tells where tenants reach the proxy, and its CA. */
export const PUBLIC_CONFIG_MAP = 'kubeveil-public';

/**
 * The relay (src/app/relay.ts). The host's API server shows that it is who asks by a token, which a policy of the host's
 * operator puts into this annotation of the object that it asks about. It is no part of the URL: that stands in the
 * messages of controllers when the proxy does not answer, and tenants read those.
 */
export const RELAY_MARK = `${OWN_PREFIX}relay`;
/** The policy that the operator sets up, its binding, and the webhook. */
export const RELAY_OBJECT = 'kubeveil-relay';
/** The Secret with the tokens. */
export const RELAY_SECRET = 'kubeveil-relay';
/** Where it asks; a word that is made of the token follows, so that nobody else's questions are even read. */
export const RELAY_ROOT = `/${OWN_PREFIX}relay/`;

/**
 * The webhook in the place of the mutating policies of `deploy/`, on hosts that do not run such policies; and where it
 * asks, by a word that is made of the relay's token. It is below our prefix, so that no text shows it to a tenant.
 */
export const MUTATIONS_OBJECT = 'kubeveil-mutations';
export const MUTATIONS_ROOT = `/${OWN_PREFIX}mutations/`;

/** Whom the host's audit names for what is read once for all users of a tenant. */
export const CACHE_USER = 'kubeveil:cache';
