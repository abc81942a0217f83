import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import { selectorsToUpstream } from './selectors.ts';

const ACME = scopeOf('acme');

function label(key: string, text: string, own: string[] = []) {
  const { label, nothing } = selectorsToUpstream({ label: text, field: '' }, kindAt(ACME, key), ACME, own);
  return nothing ? 'NOTHING' : label;
}

function field(key: string, text: string, version?: string) {
  return selectorsToUpstream({ label: '', field: text }, kindAt(ACME, key, version), ACME).field;
}

describe('label selectors', () => {
  it('are AND-ed with the proxy’s own as parsed terms', () => {
    expect(label('/namespaces', 'a in (b,c),!d', ['kubeveil.dev/tenant=acme'])).toBe(
      'a in (b,c),!d,kubeveil.dev/tenant=acme',
    );
    expect(label('/namespaces', '', ['kubeveil.dev/tenant=acme'])).toBe('kubeveil.dev/tenant=acme');
    expect(label('/pods', '')).toBe('');
  });

  it.each([
    ['!kubeveil.dev/tenant', ''],
    ['kubeveil.dev/tenant!=acme', ''],
    ['kubeveil.dev/tenant notin (a,b),x', 'x'],
    ['kubeveil.dev/tenant', 'NOTHING'],
    ['kubeveil.dev/tenant=globex', 'NOTHING'],
    ['kubeveil.dev/tenant=acme', 'NOTHING'],
    ['kubeveil.dev/guard in (x,y)', 'NOTHING'],
    ['kubeveil.dev/x>1', 'NOTHING'],
    ['example.com/kubeveil.dev=1', 'example.com/kubeveil.dev=1'],
  ])('on keys that tenants do not see, %j is decided here', (text, expected) => {
    expect(label('/pods', text)).toBe(expected);
  });

  it('on the names of namespaces are mapped, for namespaces alone', () => {
    expect(label('/namespaces', 'kubernetes.io/metadata.name in (web,globex--x)')).toBe(
      'kubernetes.io/metadata.name in (acme--web,acme--globex--x)',
    );
    expect(label('/namespaces', 'kubernetes.io/metadata.name!=web')).toBe('kubernetes.io/metadata.name!=acme--web');
    expect(label('/pods', 'kubernetes.io/metadata.name=web')).toBe('kubernetes.io/metadata.name=web');
  });

  it('that do not parse are 400 and never reach upstream', () => {
    expect(() => label('/pods', 'a=b c')).toThrow("found 'c', expected: ',' or 'end of string'");
    expect(() => label('/pods', 'a=b,kubeveil.dev/tenant in (globex')).toThrow('unable to parse requirement');
  });
});

describe('field selectors', () => {
  it.each([
    ['/namespaces', 'metadata.name=web', 'metadata.name=acme--web'],
    ['/namespaces', 'metadata.name!=web,status.phase=Active', 'metadata.name!=acme--web,status.phase=Active'],
    ['/pods', 'metadata.name=web', 'metadata.name=web'],
    ['/pods', 'metadata.namespace=globex--web', 'metadata.namespace=acme--globex--web'],
    ['/pods', 'metadata.namespace=', 'metadata.namespace='],
    ['/pods', 'spec.nodeName=n1', 'spec.nodeName=n1'],
    ['/pods', 'spec.nodeName=', 'spec.nodeName='],
    ['/nodes', 'metadata.name=n1', 'metadata.name=n1'],
    ['stable.example.com/gadgets', 'metadata.name=g', 'metadata.name=g'],
    ['rbac.authorization.k8s.io/clusterroles', 'metadata.name=a:b', 'metadata.name=acme--x--a03ab'],
    ['apiextensions.k8s.io/customresourcedefinitions', 'metadata.name=a.b.c', 'metadata.name=a.acme--b.c'],
    ['/events', 'involvedObject.namespace=web', 'involvedObject.namespace=acme--web'],
    ['/events', 'involvedObject.name=web,involvedObject.kind=Pod', 'involvedObject.name=web,involvedObject.kind=Pod'],
    [
      '/events',
      'involvedObject.name=web,involvedObject.kind=Namespace',
      'involvedObject.name=acme--web,involvedObject.kind=Namespace',
    ],
    ['/events', 'involvedObject.name=web', 'involvedObject.name=web'],
    [
      'events.k8s.io/events',
      'regarding.name=a,regarding.kind=ClusterRole,regarding.apiVersion=rbac.authorization.k8s.io/v1',
      'regarding.name=acme--a,regarding.kind=ClusterRole,regarding.apiVersion=rbac.authorization.k8s.io/v1',
    ],
    [
      '/events',
      'involvedObject.apiVersion=stable.example.com/v1',
      'involvedObject.apiVersion=acme--stable.example.com/v1',
    ],
    ['/secrets', 'type=a\\,b', 'type=a\\,b'],
  ])('%s: %s is upstream %s', (key, text, upstream) => {
    expect(field(key, text)).toBe(upstream);
  });

  describe('of a virtual kind are those of the native one', () => {
    const ROLES = 'rbac.authorization.k8s.io/clusterroles';
    const of = (text: string) => selectorsToUpstream({ label: '', field: text }, kindAt(ACME, ROLES), ACME);

    it.each(['metadata.namespace=', 'metadata.namespace!=web', '='])('%j picks every one', (text) => {
      expect(of(text)).toMatchObject({ field: '', nothing: false });
    });

    it.each(['metadata.namespace=web', 'metadata.namespace!=', 'metadata.name=a,metadata.namespace=web'])(
      '%j picks none',
      (text) => expect(of(text).nothing).toBe(true),
    );

    it('and no other', () => {
      expect(() => of('spec.color=red')).toThrow(
        '"spec.color" is not a known field selector: only "metadata.name", "metadata.namespace"',
      );
    });
  });

  it('that do not parse are 400', () => {
    expect(() => field('/pods', 'nonsense')).toThrow("can't understand 'nonsense'");
  });
});
