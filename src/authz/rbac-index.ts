/**
 * Roles and bindings of one tenant, arranged so that a request meets only the bindings that name its user or groups.
 *
 * Everything in it is in the tenant's terms. An object that is not well-formed grants nothing.
 *
 * @see k8s.io/kubernetes pkg/registry/rbac/validation/rule.go at v1.36
 */
import { child, objects, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { goQuote } from '../lib/go-quote.ts';
import { ClusterRoles } from './cluster-roles.ts';
import { type CompiledRule, compileRule, readRules } from './rules.ts';

export type RbacResource = 'roles' | 'rolebindings' | 'clusterroles' | 'clusterrolebindings';

export interface Binding {
  readonly name: string;
  /** `''` for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleKind: string;
  readonly roleName: string;
  /** `namespace/roleName`: a Role in the index. */
  readonly roleKey: string;
  readonly subjects: readonly BoundSubject[];
}

export interface BoundSubject {
  /** A service account is a user, by its full name. */
  readonly sort: 'user' | 'group';
  readonly name: string;
  /** `User "alice"`, for reasons. */
  readonly text: string;
}

const NONE: readonly Binding[] = [];

/** The bindings of one namespace, or the cluster-wide ones. */
export class BindingTable {
  readonly #byName = new Map<string, Binding>();
  readonly #bySubject = { user: new Map<string, Binding[]>(), group: new Map<string, Binding[]>() };

  get size(): number {
    return this.#byName.size;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  of(sort: BoundSubject['sort'], name: string): readonly Binding[] {
    return this.#bySubject[sort].get(name) ?? NONE;
  }

  put(binding: Binding): void {
    this.remove(binding.name);
    this.#byName.set(binding.name, binding);
    for (const { sort, name } of binding.subjects) {
      const bindings = this.#bySubject[sort].get(name);
      if (bindings === undefined) this.#bySubject[sort].set(name, [binding]);
      else bindings.push(binding);
    }
  }

  remove(name: string): void {
    const binding = this.#byName.get(name);
    if (binding === undefined) return;
    this.#byName.delete(name);
    for (const { sort, name: subject } of binding.subjects) {
      const bindings = this.#bySubject[sort].get(subject) ?? [];
      const at = bindings.indexOf(binding);
      if (at >= 0) bindings.splice(at, 1);
      if (bindings.length === 0) this.#bySubject[sort].delete(subject);
    }
  }
}

export class RbacIndex {
  readonly clusterRoles: ClusterRoles;
  readonly clusterBindings = new BindingTable();
  /** Counts the changes: what was worked out before the last one may be wrong. */
  generation = 0;
  readonly #namespaces = new Map<string, BindingTable>();
  /** By `namespace/name`. */
  readonly #roles = new Map<string, readonly CompiledRule[]>();

  /** @param defaults ClusterRoles that count where this has none of their name */
  constructor(defaults?: ClusterRoles) {
    this.clusterRoles = new ClusterRoles(defaults);
  }

  get empty(): boolean {
    return this.clusterBindings.size + this.#namespaces.size + this.clusterRoles.size + this.#roles.size === 0;
  }

  bindingsIn(namespace: string): BindingTable | undefined {
    return this.#namespaces.get(namespace);
  }

  /** @param key `namespace/name` */
  role(key: string): readonly CompiledRule[] | undefined {
    return this.#roles.get(key);
  }

  /** Takes an object in, in place of an older one of its name. */
  put(resource: RbacResource, namespace: string, name: string, object: JsonObject): void {
    this.generation += 1;
    if (resource === 'clusterroles') this.clusterRoles.put(name, object);
    else if (resource === 'roles') this.#roles.set(`${namespace}/${name}`, readRules(object['rules']).map(compileRule));
    else if (resource === 'clusterrolebindings') this.clusterBindings.put(readBinding('', name, object));
    else {
      const table = this.#namespaces.get(namespace) ?? new BindingTable();
      this.#namespaces.set(namespace, table);
      table.put(readBinding(namespace, name, object));
    }
  }

  remove(resource: RbacResource, namespace: string, name: string): void {
    this.generation += 1;
    if (resource === 'clusterroles') this.clusterRoles.remove(name);
    else if (resource === 'roles') this.#roles.delete(`${namespace}/${name}`);
    else if (resource === 'clusterrolebindings') this.clusterBindings.remove(name);
    else {
      const table = this.#namespaces.get(namespace);
      table?.remove(name);
      if (table?.size === 0) this.#namespaces.delete(namespace);
    }
  }
}

function readBinding(namespace: string, name: string, object: JsonObject): Binding {
  const roleRef = child(object, 'roleRef');
  return {
    name,
    namespace,
    roleKind: text(roleRef, 'kind'),
    roleName: text(roleRef, 'name'),
    roleKey: `${namespace}/${text(roleRef, 'name')}`,
    subjects: readSubjects(namespace, objects(object, 'subjects')),
  };
}

/** Each once: one that stands there ten thousand times would be looked for as often. */
function readSubjects(namespace: string, subjects: readonly JsonObject[]): BoundSubject[] {
  const found = new Map<string, BoundSubject>();
  for (const one of subjects) {
    const subject = readSubject(namespace, one);
    if (subject === undefined) continue;
    const key = `${subject.sort}:${subject.name}`;
    if (!found.has(key)) found.set(key, subject);
  }
  return [...found.values()];
}

function readSubject(bindingNamespace: string, subject: JsonObject): BoundSubject | undefined {
  const name = text(subject, 'name');
  if (name === '') return undefined;
  if (subject['kind'] === 'User') return { sort: 'user', name, text: `User ${goQuote(name)}` };
  if (subject['kind'] === 'Group') return { sort: 'group', name, text: `Group ${goQuote(name)}` };
  if (subject['kind'] !== 'ServiceAccount') return undefined;
  const namespace = text(subject, 'namespace') || bindingNamespace;
  if (namespace === '') return undefined;
  // The order of the two in the text is kube-apiserver's own.
  return {
    sort: 'user',
    name: `system:serviceaccount:${namespace}:${name}`,
    text: `ServiceAccount ${goQuote(`${name}/${namespace}`)}`,
  };
}
