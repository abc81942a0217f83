/**
 * What the host holds for each namespace of a tenant, as its policy says: compiled from the policy file, written by the
 * provisioner. The walls in `deploy/61-policy-*.yaml` read the annotations, the API server's own PodSecurity plugin the
 * label. A namespace without them is held to the strictest.
 */
import { annotationOf, labelsOf, metadataOf, withEntries } from '../k8s/meta.ts';
import { text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { OWN_PREFIX } from './names.ts';

/** Levels of the Pod Security Standards, from the loosest to the strictest. */
export const POD_SECURITY_LEVELS = ['privileged', 'baseline', 'restricted'] as const;
export type PodSecurityLevel = (typeof POD_SECURITY_LEVELS)[number];

export interface HostGuards {
  /** The level below which no pod of the tenant may be. */
  readonly podSecurity: PodSecurityLevel;
  /** Annotations of each of its namespaces, all below `kubeveil.dev/`, {@link POD_SECURITY_FLOOR} among them. */
  readonly annotations: Readonly<Record<string, string>>;
  /** What keeps its pods from others' in the network; undefined where nothing does. */
  readonly network: NetworkGuards | undefined;
  /** Whether the host asks about what its controllers make there: see src/relay. */
  readonly relays: boolean;
  /** Whether its policy has rules of the operator's own, which the host then holds there: src/policy/rules-policy.ts. */
  readonly hasRules: boolean;
  /** What all its namespaces together may hold, as a ResourceQuota says it; empty for no limit. */
  readonly quota: Readonly<Record<string, string>>;
  /** Spec of the LimitRange of each namespace. */
  readonly limitRange: JsonObject | undefined;
}

export interface NetworkGuards {
  /** Ranges that its pods do not reach, and of those the ones that they do. */
  readonly closed: readonly string[];
  readonly open: readonly string[];
  /** Who reaches its pods, besides its own and whoever is in no closed range: namespaces of the host, and ranges. */
  readonly from: { readonly namespaces: readonly string[]; readonly ranges: readonly string[] };
  /** The pods of the host that answer for names. */
  readonly dns: { readonly namespace: string; readonly podLabels: Readonly<Record<string, string>> };
}

/** @see https://kubernetes.io/docs/concepts/security/pod-security-admission/ */
const ENFORCE_LABEL = 'pod-security.kubernetes.io/enforce';
const ENFORCE_VERSION_LABEL = 'pod-security.kubernetes.io/enforce-version';
/** The annotation with the level below which the label must not go. */
export const POD_SECURITY_FLOOR = `${OWN_PREFIX}pod-security`;

/** The label of namespaces for which the host asks the proxy about what its controllers make: it selects by labels alone. */
export const RELAY_LABEL = `${OWN_PREFIX}relay`;
/** The label of namespaces in which rules of the operator's own hold. */
const RULES_LABEL = `${OWN_PREFIX}rules`;

/** Labels that are there or not. */
const MARKS = [
  ['relays', RELAY_LABEL],
  ['hasRules', RULES_LABEL],
] as const;

/** All annotations that guards may have: one of them that a policy does not set goes. */
const GUARD_ANNOTATIONS: readonly string[] = [
  ...['pod-security', 'policy', 'may', 'images', 'volumes', 'tolerate', 'node-selector', 'tolerations'],
  ...['endpoints', 'endpoints-except', 'ingress-hosts', 'ingress-annotations', 'ingress-annotations-except', 'closed'],
  ...['open', 'storage-classes', 'ingress-classes', 'priority-classes', 'runtime-classes'],
  ...['volume-attributes-classes', 'device-classes'],
].map((name) => OWN_PREFIX + name);

/** What guards are made of that stand in the namespace itself. */
type Labels = Pick<HostGuards, 'podSecurity' | 'relays' | 'hasRules'>;
type Said = Labels & Pick<HostGuards, 'annotations'>;

/** The labels that a namespace has which says nothing of its level. */
export function guardLabels(said: Labels): Record<string, string> {
  const { podSecurity } = said;
  return {
    ...(podSecurity === 'privileged' ? {} : { [ENFORCE_LABEL]: podSecurity }),
    ...Object.fromEntries(MARKS.filter(([mark]) => said[mark]).map(([, label]) => [label, ''])),
  };
}

/** A namespace with everything that the guards say of it. What its tenant has tightened stays. */
export function withGuards(namespace: JsonObject, said: Said): JsonObject {
  const metadata = metadataOf(namespace);
  // A level that is too loose, or none that there is, is the wall's to refuse: the tenant has said it.
  const labels = withEntries(metadata['labels'], (given) => ({ ...guardLabels(said), ...given }));
  const noted = withEntries(metadata['annotations'], (given) => ({ ...given, ...said.annotations }));
  return { ...namespace, metadata: { ...metadata, labels, annotations: noted } };
}

/**
 * A namespace as a tenant wrote it, whole, with what it does not see of the stored one; a label that it left out is the
 * floor's again.
 */
export function withGuardsOf(namespace: JsonObject, stored: JsonObject | undefined): JsonObject {
  const found = GUARD_ANNOTATIONS.map((key) => [key, stored && annotationOf(stored, key)] as const);
  const annotations = Object.fromEntries(
    found.filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
  );
  const podSecurity = POD_SECURITY_LEVELS.find((level) => level === annotations[POD_SECURITY_FLOOR]) ?? 'privileged';
  const has = (label: string) => stored !== undefined && Object.hasOwn(labelsOf(stored), label);
  const [relays, hasRules] = [has(RELAY_LABEL), has(RULES_LABEL)];
  return withGuards(namespace, { annotations, podSecurity, relays, hasRules });
}

/** The merge patch that makes a stored namespace as the guards say; undefined when it is so. */
export function guardsPatch(namespace: JsonObject, guards: HostGuards): JsonObject | undefined {
  const annotations: JsonObject = {};
  for (const key of GUARD_ANNOTATIONS) {
    const value = guards.annotations[key];
    if (annotationOf(namespace, key) !== value) annotations[key] = value ?? null;
  }
  const labels = { ...levelPatch(namespace, guards.podSecurity), ...marksPatch(namespace, guards) };
  const hasLabels = Object.keys(labels).length > 0;
  if (!hasLabels && Object.keys(annotations).length === 0) return undefined;
  return { metadata: { annotations, ...(hasLabels ? { labels } : {}) } };
}

/**
 * Up to the floor where the label is looser. Down with the floor only where nobody has tightened: the label still is what
 * the old floor was.
 */
function levelPatch(namespace: JsonObject, floor: PodSecurityLevel): JsonObject {
  const labels = labelsOf(namespace);
  const label = text(labels, ENFORCE_LABEL);
  const oldFloor = annotationOf(namespace, POD_SECURITY_FLOOR);
  const isOurs = label === oldFloor && oldFloor !== floor;
  const version = text(labels, ENFORCE_VERSION_LABEL);
  const isPinned = floor !== 'privileged' && version !== '' && version !== 'latest';
  const patch: JsonObject = {};
  if (isOurs || isLooser(label, floor)) patch[ENFORCE_LABEL] = floor === 'privileged' ? null : floor;
  // An old version of a level may be looser than the floor.
  if (isPinned) patch[ENFORCE_VERSION_LABEL] = null;
  return patch;
}

function marksPatch(namespace: JsonObject, guards: Labels): JsonObject {
  const wrong = MARKS.filter(([mark, label]) => Object.hasOwn(labelsOf(namespace), label) !== guards[mark]);
  return Object.fromEntries(wrong.map(([mark, label]) => [label, guards[mark] ? '' : null]));
}

/** A level that there is not is looser than any but `privileged`, which no label is as loose as. */
function isLooser(level: string, floor: PodSecurityLevel): boolean {
  const at = level === '' ? 0 : (POD_SECURITY_LEVELS as readonly string[]).indexOf(level);
  return at < POD_SECURITY_LEVELS.indexOf(floor);
}
