/**
 * RBAC of every tenant, decided in the proxy from the tenants' own Roles and bindings. Nothing of it acts upstream.
 *
 * Fed by four informers; each object is put into the tenant's terms once, by the view that it is given, and indexed.
 * An object that has no view for its tenant grants nothing. Until all four are synced every question is refused with
 * 503: never an allow by ignorance. Own writes come in through `Informer.note` and count at once.
 *
 * A role with an aggregation rule counts with the rules of the roles that it selects, as they are now, whatever it
 * stores: what is taken out of one of them is gone at once.
 *
 * @see k8s.io/kubernetes plugin/pkg/auth/authorizer/rbac/rbac.go at v1.36
 */
import { notSynced } from '../errors.ts';
import type { Identity } from '../exchange.ts';
import { aggregate } from '../k8s/aggregate.ts';
import type { Informer, InformerEvent } from '../k8s/informer.ts';
import { nameOf, namespaceOf } from '../k8s/meta.ts';
import { type Attributes, type Decision, type GrantedRules, MASTERS, type PolicyRule } from '../k8s/rbac.ts';
import type { JsonObject } from '../k8s/types.ts';
import { goQuote } from '../lib/go-quote.ts';
import { oneOf } from '../lib/one-of.ts';
import type { Authorizer } from '../ports.ts';
import { OWN_NAME_PREFIX } from '../tenancy/host-names.ts';
import { type TenantId, tenantOf, type UpstreamName } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { AggregatedRole } from './cluster-roles.ts';
import { KnownRights } from './known-rights.ts';
import { type Binding, type BindingTable, type BoundSubject, RbacIndex, type RbacResource } from './rbac-index.ts';
import { allowedBy, type Met, Rights } from './rights.ts';
import type { RoleView } from './role-view.ts';
import type { CompiledRule } from './rules.ts';

export interface TenantRbacOptions {
  readonly informers: Readonly<Record<RbacResource, Informer>>;
  /** A stored object in the tenant's terms; undefined when it is not one of the tenant's. May throw: then likewise. */
  readonly view: RoleView;
  /** ClusterRoles and ClusterRoleBindings that every tenant has until it stores its own of that name. */
  readonly defaults: Readonly<Record<'clusterroles' | 'clusterrolebindings', readonly JsonObject[]>>;
  /** Told of an object that is left out. */
  readonly onFault?: (resource: RbacResource, object: JsonObject, error: unknown) => void;
}

export interface TenantRbac extends Authorizer, Disposable {
  /** The tenant's ClusterRoles that gather rules from others, each with those it should hold, as it is and as it stores. */
  aggregated(tenant: Tenant): Iterable<AggregatedRole>;
}

interface Entry {
  readonly tenant: TenantId;
  readonly namespace: string;
  readonly name: string;
}

export function createTenantRbac(options: TenantRbacOptions): TenantRbac {
  const indexes = new Map<TenantId, RbacIndex>();
  /** Where each upstream object went, by resource and upstream name: a deletion must find it again. */
  const entries = new Map<string, Entry>();
  const informers = Object.entries(options.informers) as [RbacResource, Informer][];
  const defaults = new RbacIndex();
  const nothing = new RbacIndex(defaults.clusterRoles);
  const known = new KnownRights();
  for (const resource of ['clusterroles', 'clusterrolebindings'] as const) {
    for (const object of options.defaults[resource]) defaults.put(resource, '', nameOf(object), object);
  }
  const stops = informers.map(([resource, informer]) => informer.subscribe((event) => take(resource, event)));

  function take(resource: RbacResource, event: InformerEvent): void {
    const upstream = { namespace: namespaceOf(event.object), name: nameOf(event.object) };
    const key = `${resource}/${upstream.namespace}/${upstream.name}`;
    const owner = tenantOf((upstream.namespace || upstream.name) as UpstreamName);
    const seen = event.type === 'deleted' || owner === undefined ? undefined : view(owner, resource, event.object);
    drop(key, resource);
    if (seen === undefined || owner === undefined) return;
    const entry = { tenant: owner, namespace: namespaceOf(seen), name: nameOf(seen) };
    entries.set(key, entry);
    const index = indexes.get(owner) ?? new RbacIndex(defaults.clusterRoles);
    indexes.set(owner, index);
    index.put(resource, entry.namespace, entry.name, seen);
  }

  function view(tenant: TenantId, resource: RbacResource, object: JsonObject): JsonObject | undefined {
    const namespaced = resource === 'roles' || resource === 'rolebindings';
    // Our own objects in tenants' namespaces bind the proxy, not the tenant's users.
    if (namespaced && nameOf(object).startsWith(OWN_NAME_PREFIX)) return undefined;
    try {
      return options.view(tenant, resource, object);
    } catch (error) {
      options.onFault?.(resource, object, error);
      return undefined;
    }
  }

  function drop(key: string, resource: RbacResource): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    const index = indexes.get(entry.tenant);
    index?.remove(resource, entry.namespace, entry.name);
    if (index?.empty) indexes.delete(entry.tenant);
  }

  function indexOf(tenant: Tenant): RbacIndex {
    if (!informers.every(([, informer]) => informer.synced)) {
      throw notSynced('roles and bindings');
    }
    return indexes.get(tenant.id) ?? nothing;
  }

  /**
   * Calls `meet` with every binding that applies until it answers true; with one that applies by several subjects more
   * than once. This is where requests spend their time: nothing is made for them here.
   */
  function walk(index: RbacIndex, who: Identity, namespace: string, meet: Meet): void {
    if (visit(index, index.clusterBindings, undefined, who, meet)) return;
    if (visit(index, defaults.clusterBindings, index.clusterBindings, who, meet)) return;
    const local = namespace === '' ? undefined : index.bindingsIn(namespace);
    if (local !== undefined) visit(index, local, undefined, who, meet);
  }

  function visit(
    index: RbacIndex,
    table: BindingTable,
    hidden: BindingTable | undefined,
    who: Identity,
    meet: Meet,
  ): boolean {
    if (meetAll(index, table.of('user', who.username), hidden, meet)) return true;
    for (const group of who.groups) if (meetAll(index, table.of('group', group), hidden, meet)) return true;
    return false;
  }

  function meetAll(
    index: RbacIndex,
    bindings: readonly Binding[],
    hidden: BindingTable | undefined,
    meet: Meet,
  ): boolean {
    for (const binding of bindings) {
      if (hidden?.has(binding.name)) continue;
      if (meet(binding, resolve(index, binding))) return true;
    }
    return false;
  }

  /** The rules of the role that a binding names, or in words why there are none. */
  function resolve(
    index: RbacIndex,
    { roleKind, roleName, roleKey, namespace }: BoundRole,
  ): readonly CompiledRule[] | string {
    if (roleKind === 'ClusterRole') {
      const rules = index.clusterRoles.rules(roleName) ?? 'not found';
      return typeof rules === 'string' ? `clusterrole.rbac.authorization.k8s.io ${goQuote(roleName)} ${rules}` : rules;
    }
    if (roleKind === 'Role' && namespace !== '') {
      const rules = index.role(roleKey);
      return rules ?? `role.rbac.authorization.k8s.io ${goQuote(roleName)} not found`;
    }
    return `unsupported role reference kind: ${goQuote(roleKind)}`;
  }

  function decide(tenant: Tenant, who: Identity, attributes: Attributes): Decision {
    const index = indexOf(tenant);
    if (who.groups.includes(MASTERS)) return { allowed: true, reason: '' };
    const namespace = attributes.isResource ? attributes.namespace : '';
    const rights = known.of(index, who, namespace, () => new Rights(allMet(index, who, namespace)));
    if (rights !== undefined) return rights.decide(attributes);
    const errors: string[] = [];
    let source: string | undefined;
    // Thousands of bindings may name one role of thousands of rules, which does not allow more for that.
    const asked = new Set<readonly CompiledRule[]>();
    walk(index, who, namespace, (binding, rules) => {
      if (typeof rules === 'string') errors.push(rules);
      else if (!asked.has(rules)) {
        asked.add(rules);
        if (rules.some((rule) => rule.allows(attributes))) source = describe(binding, who);
      }
      return source !== undefined;
    });
    if (source !== undefined) return allowedBy(source);
    return { allowed: false, reason: errors.length === 0 ? '' : `RBAC: ${aggregate(errors)}` };
  }

  /** Every binding that applies, once, in the order in which they are met. */
  function allMet(index: RbacIndex, who: Identity, namespace: string): Met[] {
    const met = new Map<Binding, Met>();
    walk(index, who, namespace, (binding, rules) => {
      if (!met.has(binding)) met.set(binding, { rules, source: () => describe(binding, who) });
      return false;
    });
    return [...met.values()];
  }

  function rulesFor(tenant: Tenant, who: Identity, namespace: string): ReturnType<Authorizer['rulesFor']> {
    const granted: GrantedRules[] = [];
    const errors: string[] = [];
    for (const { rules } of allMet(indexOf(tenant), who, namespace)) {
      if (typeof rules === 'string') errors.push(rules);
      else granted.push(rules);
    }
    return { granted, errors };
  }

  function roleRules(tenant: Tenant, role: { kind: string; name: string }, namespace: string): PolicyRule[] | string {
    const rules = resolve(indexOf(tenant), {
      roleKind: role.kind,
      roleName: role.name,
      roleKey: `${namespace}/${role.name}`,
      namespace,
    });
    return typeof rules === 'string' ? rules : rules.map(({ rule }) => rule);
  }

  return {
    decide,
    rulesFor,
    roleRules,
    aggregated: (tenant) => indexOf(tenant).clusterRoles.aggregated(),
    [Symbol.dispose]() {
      for (const stop of stops) stop();
    },
  };
}

type BoundRole = Pick<Binding, 'roleKind' | 'roleName' | 'roleKey' | 'namespace'>;

/** @returns true when no other binding needs to be met */
type Meet = (binding: Binding, rules: readonly CompiledRule[] | string) => boolean;

/** As kube-apiserver names the source of a right, with the first subject of the binding that fits. */
function describe(binding: Binding, { username, groups }: Identity): string {
  const inGroup = oneOf(groups);
  const fits = ({ sort, name }: BoundSubject) => (sort === 'user' ? name === username : inGroup(name));
  const subject = binding.subjects.find(fits)?.text ?? '';
  const role = `${binding.roleKind} ${goQuote(binding.roleName)} to ${subject}`;
  return binding.namespace === ''
    ? `ClusterRoleBinding ${goQuote(binding.name)} of ${role}`
    : `RoleBinding ${goQuote(`${binding.name}/${binding.namespace}`)} of ${role}`;
}
