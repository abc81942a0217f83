import { beforeEach, describe, expect, it } from 'vitest';
import type { Identity } from '../exchange.ts';
import type { Informer, InformerEvent } from '../k8s/informer.ts';
import { nameOf, namespaceOf } from '../k8s/meta.ts';
import { type Attributes, MASTERS } from '../k8s/rbac.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { type TenantId, type TenantName, toTenantName, type UpstreamName } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { RbacResource } from './rbac-index.ts';
import { createTenantRbac } from './tenant-rbac.ts';

/** An informer that the test feeds by hand. */
class HandFed implements Informer {
  synced = true;
  readonly #objects = new Map<string, JsonObject>();
  #listener: (event: InformerEvent) => void = () => {};
  whenSynced = () => Promise.resolve();
  get = () => undefined;
  list = () => this.#objects.values();
  note = (object: JsonObject) => this.put(object);
  forget = () => {};
  subscribe(listener: (event: InformerEvent) => void) {
    this.#listener = listener;
    for (const object of this.#objects.values()) listener({ type: 'added', object });
    return () => {
      this.#listener = () => {};
    };
  }
  put(object: JsonObject): void {
    const key = `${namespaceOf(object)}/${nameOf(object)}`;
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#listener(previous === undefined ? { type: 'added', object } : { type: 'modified', object, previous });
  }
  remove(object: JsonObject): void {
    this.#objects.delete(`${namespaceOf(object)}/${nameOf(object)}`);
    this.#listener({ type: 'deleted', object });
  }
}

function tenant(id: string): Tenant {
  return { id: id as TenantId, uid: id, createdAt: '', phase: 'Active', clientCaPem: '', policy: 'default' };
}
const acme = tenant('acme');
const globex = tenant('globex');
const reads: JsonValue = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
const POD: Attributes = {
  isResource: true,
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'web',
  name: 'one',
};

function who(username: string, ...groups: string[]): Identity {
  return { username, groups, uid: '', extra: {} };
}
function role(name: string, rules: JsonValue, namespace?: string): JsonObject {
  return { metadata: { name, ...(namespace === undefined ? {} : { namespace }) }, rules };
}
function binding(name: string, roleRef: string, subjects: JsonValue, namespace?: string): JsonObject {
  const [kind = '', of = ''] = roleRef.split('/');
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { kind, name: of },
    subjects,
  };
}
const alice: JsonValue = [{ kind: 'User', name: 'alice' }];

let informers: Record<RbacResource, HandFed>;
let faults: unknown[];
beforeEach(() => {
  informers = {
    roles: new HandFed(),
    rolebindings: new HandFed(),
    clusterroles: new HandFed(),
    clusterrolebindings: new HandFed(),
  };
  faults = [];
});

/** Takes only the prefix off, as far as these tests need it. */
function view(id: TenantId, resource: RbacResource, object: JsonObject): JsonObject | undefined {
  if (object['broken'] === true) throw new Error('no view');
  const field = resource.startsWith('cluster') ? 'name' : 'namespace';
  const metadata = object['metadata'] as JsonObject;
  const mapped = toTenantName(id, String(metadata[field]) as UpstreamName) as TenantName | undefined;
  return mapped === undefined ? undefined : { ...object, metadata: { ...metadata, [field]: mapped } };
}
function rbac() {
  return createTenantRbac({
    informers,
    view,
    defaults: {
      clusterroles: [
        role('cluster-admin', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]),
        role('view', reads),
      ],
      clusterrolebindings: [
        binding('cluster-admin', 'ClusterRole/cluster-admin', [{ kind: 'Group', name: MASTERS }]),
        binding('everybody', 'ClusterRole/view', [{ kind: 'Group', name: 'readers' }]),
      ],
    },
    onFault: (_resource, _object, error) => faults.push(error),
  });
}

describe('RBAC of a tenant', () => {
  it('allows by a Role and its binding, in that namespace and tenant only', () => {
    informers.roles.put(role('reader', reads, 'acme--web'));
    informers.rolebindings.put(binding('b', 'Role/reader', alice, 'acme--web'));
    const engine = rbac();
    expect(engine.decide(acme, who('alice'), POD)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "b/web" of Role "reader" to User "alice"',
    });
    expect(engine.decide(acme, who('alice'), { ...POD, namespace: 'db' })).toEqual({ allowed: false, reason: '' });
    expect(engine.decide(acme, who('alice'), { ...POD, namespace: '' })).toEqual({ allowed: false, reason: '' });
    expect(engine.decide(acme, who('bob'), POD)).toEqual({ allowed: false, reason: '' });
    expect(engine.decide(globex, who('alice'), POD)).toEqual({ allowed: false, reason: '' });
  });

  it('allows by a ClusterRole, in one namespace or everywhere as it is bound', () => {
    informers.clusterroles.put(role('acme--reader', reads));
    informers.rolebindings.put(binding('b', 'ClusterRole/reader', alice, 'acme--web'));
    informers.clusterrolebindings.put(binding('acme--c', 'ClusterRole/reader', [{ kind: 'Group', name: 'devs' }]));
    const engine = rbac();
    expect(engine.decide(acme, who('alice'), POD).allowed).toBe(true);
    expect(engine.decide(acme, who('alice'), { ...POD, namespace: 'db' }).allowed).toBe(false);
    expect(engine.decide(acme, who('carol', 'devs'), { ...POD, namespace: '' })).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "c" of ClusterRole "reader" to Group "devs"',
    });
  });

  it('knows service accounts, with the namespace of the binding where none is given', () => {
    informers.clusterroles.put(role('acme--reader', reads));
    const subjects: JsonValue = [
      { kind: 'ServiceAccount', name: 'here' },
      { kind: 'ServiceAccount', name: 'there', namespace: 'db' },
    ];
    informers.rolebindings.put(binding('b', 'ClusterRole/reader', subjects, 'acme--web'));
    informers.clusterrolebindings.put(
      binding('acme--c', 'ClusterRole/reader', [{ kind: 'ServiceAccount', name: 'lost' }]),
    );
    const engine = rbac();
    const ask = (name: string) => engine.decide(acme, who(`system:serviceaccount:${name}`), POD).allowed;
    expect(['web:here', 'db:there'].map(ask)).toEqual([true, true]);
    expect(['db:here', 'web:there', 'web:lost', ':lost'].map(ask)).toEqual([false, false, false, false]);
  });

  it('lets system:masters do everything, in their tenant, even when the default binding is taken over', () => {
    informers.clusterrolebindings.put(binding('acme--cluster-admin', 'ClusterRole/view', alice));
    const engine = rbac();
    expect(engine.decide(acme, who('root', MASTERS), { ...POD, verb: 'delete' })).toEqual({
      allowed: true,
      reason: '',
    });
    expect(engine.decide(acme, who('root'), { ...POD, verb: 'delete' }).allowed).toBe(false);
  });

  it('has the defaults until the tenant stores its own, and again when that is gone', () => {
    const engine = rbac();
    const carol = who('carol', 'readers');
    expect(engine.decide(acme, carol, POD).allowed).toBe(true);
    const own = binding('acme--everybody', 'ClusterRole/view', alice);
    informers.clusterrolebindings.put(own);
    expect(engine.decide(acme, carol, POD).allowed).toBe(false);
    expect(engine.decide(globex, carol, POD).allowed).toBe(true);
    informers.clusterrolebindings.remove(own);
    expect(engine.decide(acme, carol, POD).allowed).toBe(true);
    informers.clusterroles.put(role('acme--view', []));
    expect(engine.decide(acme, carol, POD).allowed).toBe(false);
  });

  it('follows changes: rules, subjects, deletion', () => {
    informers.clusterroles.put(role('acme--reader', reads));
    informers.clusterrolebindings.put(binding('acme--c', 'ClusterRole/reader', alice));
    const engine = rbac();
    const ask = () => engine.decide(acme, who('alice'), POD).allowed;
    expect(ask()).toBe(true);
    informers.clusterroles.note(role('acme--reader', []));
    expect(ask()).toBe(false);
    informers.clusterroles.note(role('acme--reader', reads));
    informers.clusterrolebindings.note(binding('acme--c', 'ClusterRole/reader', [{ kind: 'User', name: 'bob' }]));
    expect(ask()).toBe(false);
    informers.clusterrolebindings.note(binding('acme--c', 'ClusterRole/reader', alice));
    expect(ask()).toBe(true);
    informers.clusterrolebindings.remove(binding('acme--c', 'ClusterRole/reader', alice));
    expect(ask()).toBe(false);
  });

  it('says which role is missing, each once', () => {
    informers.clusterrolebindings.put(binding('acme--a', 'ClusterRole/gone', alice));
    informers.clusterrolebindings.put(binding('acme--b', 'ClusterRole/gone', alice));
    const engine = rbac();
    expect(engine.decide(acme, who('alice'), POD).reason).toBe(
      'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    );
    informers.rolebindings.put(binding('c', 'Role/lost', alice, 'acme--web'));
    expect(engine.decide(acme, who('alice'), POD).reason).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found]',
    );
    expect(engine.rulesFor(acme, who('alice'), 'web').errors).toHaveLength(3);
  });

  it('lists every rule that applies, a binding at most once', () => {
    informers.roles.put(role('reader', reads, 'acme--web'));
    informers.rolebindings.put(binding('b', 'Role/reader', [...alice, { kind: 'Group', name: 'devs' }], 'acme--web'));
    const engine = rbac();
    expect(engine.rulesFor(acme, who('alice', 'devs'), 'web').granted).toHaveLength(1);
    expect(engine.rulesFor(acme, who('alice', 'devs'), 'db').granted).toHaveLength(0);
  });

  it.each(['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'] as const)(
    'answers 503 and never allows while %s are not synced',
    (resource) => {
      const engine = rbac();
      informers[resource].synced = false;
      const unavailable = expect.objectContaining({ code: 'ERR_UNAVAILABLE' });
      expect(() => engine.decide(acme, who('root', MASTERS), POD)).toThrow(unavailable);
      expect(() => engine.rulesFor(acme, who('root', MASTERS), '')).toThrow(unavailable);
      informers[resource].synced = true;
      expect(engine.decide(acme, who('root', MASTERS), POD).allowed).toBe(true);
    },
  );

  it('grants nothing by an object without a view, and forgets what it was before', () => {
    informers.clusterroles.put(role('acme--reader', reads));
    informers.clusterrolebindings.put(binding('acme--c', 'ClusterRole/reader', alice));
    const engine = rbac();
    expect(engine.decide(acme, who('alice'), POD).allowed).toBe(true);
    informers.clusterrolebindings.put({ ...binding('acme--c', 'ClusterRole/reader', alice), broken: true });
    expect(engine.decide(acme, who('alice'), POD).allowed).toBe(false);
    expect(faults).toHaveLength(1);
  });

  it('takes no notice of the host’s own objects and of our guards', () => {
    informers.clusterroles.put(role('reader', reads));
    informers.clusterroles.put(role('acme--reader', reads));
    informers.clusterrolebindings.put(binding('c', 'ClusterRole/reader', alice));
    informers.rolebindings.put(binding('kubeveil:guard', 'ClusterRole/reader', alice, 'acme--web'));
    informers.rolebindings.put(binding('guard', 'ClusterRole/reader', [{ kind: 'User', name: 'bob' }], 'acme--web'));
    const engine = rbac();
    expect(engine.decide(acme, who('alice'), POD).allowed).toBe(false);
    expect(engine.decide(acme, who('bob'), POD).allowed).toBe(true);
  });

  it('ends its subscriptions', () => {
    const engine = rbac();
    engine[Symbol.dispose]();
    informers.clusterrolebindings.put(binding('acme--c', 'ClusterRole/view', alice));
    expect(engine.decide(acme, who('alice'), POD).allowed).toBe(false);
  });
});
