import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Kind, Reference, Target } from './kind.ts';
import { PROFILES } from './kind.ts';
import { CLUSTER_TRUST_BUNDLES } from './refs.ts';
import { READ, resourceKey } from './row.ts';
import { KINDS, kindByName, kindOf } from './table.ts';

interface Served {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

const SERVED: readonly Served[] = JSON.parse(
  readFileSync(new URL('../../test/vectors/discovery.generated.json', import.meta.url), 'utf8'),
);
const ROWS = KINDS.map((kind) => [resourceKey(kind.group, kind.resource), kind] as const);
/** A slash is part of a field's name: `count/configmaps`. */
const PATH = /^[a-z$][\w/-]*(\[\]|\{\}|\{key\}$)*(\.[a-z$][\w/-]*(\[\]|\{\}|\{key\}$)*)*$/i;
/** Keys that rows may point at although this release serves no such kind by default. */
const NOT_SERVED = new Set<string>([CLUSTER_TRUST_BUNDLES]);

function has(kind: Kind, kindClass: string): boolean {
  return PROFILES.some((profile) => kind.classes[profile] === kindClass);
}

function references(kind: Kind): Reference[] {
  return [...kind.refs, ...Object.values(kind.subresources).flatMap((subresource) => subresource.refs ?? [])];
}

function targets(kind: Kind): Target[] {
  return [...references(kind).map((reference) => reference.target), ...Object.values(kind.fieldSelectors)];
}

describe('every row', () => {
  it.each(ROWS)('%s is whole', (_key, kind) => {
    expect(kind.reason).not.toBe('');
    expect(kind.custom).toBe(false);
    expect(kindOf(kind.group, kind.resource)).toBe(kind);
    expect(kindByName(kind.group, kind.kind)).toBe(kind);
  });
  it.each(ROWS)('%s has paths of the grammar, each once', (_key, kind) => {
    const paths = references(kind).map((reference) => reference.path);
    expect(paths.filter((path) => !PATH.test(path))).toEqual([]);
    expect(new Set(paths).size).toBe(paths.length);
  });
  it.each(ROWS)('%s points at rows, and at cluster-scoped ones', (_key, kind) => {
    const keys = [...targets(kind), ...Object.values(kind.columns)].flatMap((one) => ('of' in one ? [one.of] : []));
    for (const key of keys.filter((one) => !NOT_SERVED.has(one))) {
      const [group = '', resource = ''] = key.split('/');
      expect(kindOf(group, resource)?.namespaced, key).toBe(false);
    }
  });
  it.each(ROWS)('%s withholds only what it does not offer', (_key, kind) => {
    for (const entry of Object.keys(kind.withheld ?? {})) {
      const [name = '', verb] = entry.split(':');
      const offered = kind.subresources[name]?.verbs;
      if (verb === undefined) expect(offered, entry).toBeUndefined();
      else expect(offered?.map(String), entry).not.toContain(verb);
    }
  });
  it.each(ROWS.filter(([, kind]) => has(kind, 'published')))('%s is published read-only and cut', (_key, row) => {
    const kind = row.published ?? row;
    const verbs = [kind, ...Object.values(kind.subresources)].flatMap((one) => one.verbs);
    expect(verbs.filter((verb) => !READ.includes(verb))).toEqual([]);
    expect(kind.namespaced).toBe(false);
    expect(kind.scrub).toBeTypeOf('function');
    expect(kind.shows).not.toEqual([]);
  });
  it.each(ROWS.filter(([, kind]) => has(kind, 'mixed')))('%s is mixed for trusted tenants alone', (_key, kind) => {
    expect(kind.published?.verbs).toEqual(READ);
    expect(kind.classes).toMatchObject({ trusted: 'mixed', baseline: 'published' });
    // Either others choose it by name, or it says itself whose it is.
    expect(kind.chosen === true || kind.owned !== undefined).toBe(true);
  });
  it.each(ROWS.filter(([, kind]) => has(kind, 'native') && !kind.namespaced && kind.answeredBy === undefined))(
    '%s, cluster-scoped and native, says how it is named',
    (_key, kind) => {
      expect(kind.naming).toBeDefined();
    },
  );
});

describe('the table', () => {
  it('has distinct kind names among the virtual ones, which share a group upstream', () => {
    const names = KINDS.filter((kind) => has(kind, 'virtual')).map((kind) => kind.kind);
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
  });
  it('finds nothing under a name that is no row', () => {
    expect(kindOf('', 'deployments')).toBeUndefined();
    expect(kindOf('apps', 'Deployment')).toBeUndefined();
    expect(kindByName('apps', 'deployments')).toBeUndefined();
    expect(kindOf('__proto__', 'constructor')).toBeUndefined();
  });
  it('covers what the discovery vector lists', () => {
    expect(SERVED.length).toBeGreaterThan(100);
    const kinds = SERVED.filter(({ resource }) => !resource.includes('/'));
    expect(kinds.filter(({ group, resource }) => kindOf(group, resource) === undefined)).toEqual([]);
  });
  it.each(SERVED.filter(({ resource }) => !resource.includes('/')))(
    'agrees with the server about $group/$resource',
    ({ group, resource, kind: name, namespaced, verbs }) => {
      const kind = kindOf(group, resource);
      expect(kind).toMatchObject({ kind: name, namespaced });
      const offered = [...(kind?.verbs ?? [])].sort();
      const isReadOnly = kind?.shows !== undefined && kind.published === undefined;
      expect(offered).toEqual(isReadOnly ? READ.filter((verb) => verbs.includes(verb)) : verbs);
    },
  );
  it.each(SERVED.filter(({ resource }) => resource.includes('/')))(
    'says what it does with $group/$resource',
    ({ group, resource, verbs }) => {
      const [parent = '', name = ''] = resource.split('/');
      const kind = kindOf(group, parent);
      const offered = kind?.subresources[name]?.verbs ?? [];
      // What OPTIONS asks is no verb that discovery lists.
      expect(offered.filter((verb) => verb !== '' && !verbs.includes(verb))).toEqual([]);
      const missing = verbs.filter((verb) => !offered.map(String).includes(verb));
      const withheld = kind?.withheld ?? {};
      expect(missing.filter((verb) => !(name in withheld) && !(`${name}:${verb}` in withheld))).toEqual([]);
    },
  );
});

describe('references that others forgot', () => {
  it.each([
    ['Pod', '', 'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[].namespaces[]'],
    ['CronJob', 'batch', 'spec.jobTemplate.spec.template.spec.runtimeClassName'],
    ['Deployment', 'apps', 'spec.template.spec.volumes[].ephemeral.volumeClaimTemplate.spec.dataSourceRef'],
    ['StatefulSet', 'apps', 'spec.volumeClaimTemplates[].spec.storageClassName'],
    ['ControllerRevision', 'apps', 'data.spec.template.spec.priorityClassName'],
    ['NetworkPolicy', 'networking.k8s.io', 'spec.egress[].to[].namespaceSelector'],
    ['HorizontalPodAutoscaler', 'autoscaling', 'spec.metrics[].object.describedObject'],
    ['Event', 'events.k8s.io', 'regarding'],
    ['Endpoints', '', 'subsets[].notReadyAddresses[].targetRef'],
    ['PersistentVolume', '', 'spec.claimRef'],
    ['ResourceQuota', '', 'spec.hard{key}'],
  ])('%s %s %s', (kind, group, path) => {
    expect(kindByName(group, kind)?.refs.map((reference) => reference.path)).toContain(path);
  });
});
