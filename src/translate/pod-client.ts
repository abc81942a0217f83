/**
 * Takes out of a pod what the policy `deploy/47-pods.yaml` put into it, so that it is a client of its own virtual
 * cluster. Nothing is put in here: the host does it, for pods of controllers too, and again in a pod that comes back as
 * it is shown.
 *
 * What was put in names an annotation of ours, or is written down in one, so nothing that a tenant wrote is taken for it.
 */
import { child, objects, strings, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { audienceToTenant } from '../tenancy/audiences.ts';
import { POD_MARKS } from '../tenancy/host-names.ts';
import { ROOT_CA, TENANT_ROOT_CA } from '../tenancy/root-ca.ts';
import { type Tenant, tokenAudience } from '../tenancy/tenant.ts';

const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'];
const VOLUMES = ['projected', 'configMap', 'downwardAPI'];
const OWN_NAMESPACE = 'metadata.namespace';
const SERVICE_PLACES = new Set([fieldOf(POD_MARKS.serviceHost), fieldOf(POD_MARKS.servicePort)]);
/** In front of a pod's own search list: of its namespace, of its services, of its cluster, and of the tenant. */
const SEARCHES = 4;

/**
 * Changes the pod in place.
 * @param marks annotations of ours that it carried; none where the policy has not met it
 */
export function podClientDown(pod: JsonObject, marks: ReadonlyMap<string, string>, tenant: Pick<Tenant, 'uid'>): void {
  if (!marks.has(POD_MARKS.namespace)) return;
  const spec = child(pod, 'spec');
  for (const list of CONTAINERS) for (const container of objects(spec, list)) containerDown(container);
  const asked = askedAudiences(marks.get(POD_MARKS.audiences) ?? '');
  objects(spec, 'volumes').forEach((volume, at) => {
    nameDown(child(volume, 'configMap'));
    fieldsDown(child(volume, 'downwardAPI'));
    objects(child(volume, 'projected'), 'sources').forEach((source, place) => {
      nameDown(child(source, 'configMap'));
      fieldsDown(child(source, 'downwardAPI'));
      tokenDown(child(source, 'serviceAccountToken'), asked.get(`${at}/projected/sources/${place}`), tenant);
    });
  });
  const policy = marks.get(POD_MARKS.dns);
  if (policy !== undefined && spec['dnsPolicy'] === 'None') dnsDown(spec, policy);
}

/** True for a place in, above or below what is another upstream. @param tokens of a path in a pod */
export function isPodClientPlace(tokens: readonly string[]): boolean {
  const [first, part, , list] = tokens;
  if (first !== 'spec') return false;
  if (part === undefined || part === 'dnsPolicy' || part === 'dnsConfig') return true;
  if (part === 'volumes') return list === undefined || VOLUMES.includes(list);
  return CONTAINERS.includes(part) && (list === undefined || list === 'env' || list === 'envFrom');
}

/** Refusals after which the API server prints how two pods differ, as they are stored. */
const WITH_DIFFERENCE =
  /((?:pod updates may not change fields other than|existing ephemeral containers "[^"]*" may not be changed)[^\n]*)\n([\s\S]*)/;
const OF_OURS = /kubeveil|"KUBERNETES_SERVICE_|"(?:DNSPolicy|DNSConfig|Nameservers|Searches|Options)"/;

/** A refusal without the difference, where that shows what is another upstream. */
export function withoutPodDifference(text: string): string {
  return text.replace(WITH_DIFFERENCE, (whole, said: string, difference: string) =>
    OF_OURS.test(difference) ? said : whole,
  );
}

function containerDown(container: JsonObject): void {
  for (const source of objects(container, 'envFrom')) nameDown(child(source, 'configMapRef'));
  const { env } = container;
  if (!Array.isArray(env)) return;
  const own = objects(container, 'env').filter((variable) => !SERVICE_PLACES.has(placeOf(variable)));
  for (const variable of own) {
    nameDown(child(child(variable, 'valueFrom'), 'configMapKeyRef'));
    fieldDown(child(child(variable, 'valueFrom'), 'fieldRef'));
  }
  if (own.length > 0) container['env'] = own;
  else delete container['env'];
}

/** The field of the pod that a variable is read from; `''` for any other variable. */
function placeOf(variable: JsonObject): string {
  return text(child(child(variable, 'valueFrom'), 'fieldRef'), 'fieldPath');
}

/** @param written the name of the API server that it was asked for under */
function tokenDown(token: JsonObject, written: string | undefined, tenant: Pick<Tenant, 'uid'>): void {
  const { audience } = token;
  if (typeof audience !== 'string') return;
  if (audience !== tokenAudience(tenant)) token['audience'] = audienceToTenant(tenant, audience);
  else if (written === undefined) delete token['audience'];
  else token['audience'] = written;
}

function fieldsDown(volume: JsonObject): void {
  for (const item of objects(volume, 'items')) fieldDown(child(item, 'fieldRef'));
}

function fieldDown(reference: JsonObject): void {
  if (reference['fieldPath'] === fieldOf(POD_MARKS.namespace)) reference['fieldPath'] = OWN_NAMESPACE;
}

function nameDown(reference: JsonObject): void {
  if (reference['name'] === TENANT_ROOT_CA) reference['name'] = ROOT_CA;
}

function dnsDown(spec: JsonObject, policy: string): void {
  spec['dnsPolicy'] = policy;
  const config = child(spec, 'dnsConfig');
  keep(config, 'nameservers', strings(config, 'nameservers').slice(1));
  keep(config, 'searches', strings(config, 'searches').slice(SEARCHES));
  keep(config, 'options', objects(config, 'options').slice(0, -1));
  if (Object.keys(config).length === 0) delete spec['dnsConfig'];
}

function keep(object: JsonObject, field: string, list: JsonObject[] | string[]): void {
  if (list.length > 0) object[field] = list;
  else delete object[field];
}

/** The audience that was written, by the place of its source. */
function askedAudiences(mark: string): ReadonlyMap<string, string> {
  const entries = mark.split(' ').map((entry): [string, string] => {
    const end = entry.indexOf('=');
    return [entry.slice(0, end), entry.slice(end + 1)];
  });
  return new Map(entries);
}

/** How a variable or a file of a pod reads an annotation. */
function fieldOf(annotation: string): string {
  return `metadata.annotations['${annotation}']`;
}
