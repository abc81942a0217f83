import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import { canonicalQuantity } from '../k8s/quantity.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { TenantName } from '../tenancy/names.ts';
import { toUpstream } from './object.ts';
import { statusToTenant, textToTenant } from './status.ts';

const REQUEST = { group: '', resource: 'pods', name: 'p', namespace: 'web' as TenantName };

function failure(message: string, details: JsonObject = {}): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'X',
    details,
    code: 400,
  };
}

function shown(message: string, request = REQUEST): unknown {
  return statusToTenant(failure(message), scopeOf('acme', { username: 'alice' }), request)['message'];
}

describe('messages', () => {
  it.each([
    ['namespaces "acme--web" not found', 'namespaces "web" not found'],
    [
      'pods "p" is forbidden: User "kubeveil:acme" cannot get resource "pods" in API group "" in the namespace "acme--web"',
      'pods "p" is forbidden: User "alice" cannot get resource "pods" in API group "" in the namespace "web"',
    ],
    [
      'pods is forbidden: User "system:serviceaccount:kubeveil-system:kubeveil-reader" cannot list',
      'pods is forbidden: User "alice" cannot list',
    ],
    ['exceeded quota in acme--web', 'exceeded quota in web'],
    ['User "kubeveil:acme-eu" cannot', 'User "kubeveil:acme-eu" cannot'],
    ['user text acme--unknown and globex--web stays', 'user text acme--unknown and globex--web stays'],
  ])('%j', (message, expected) => {
    expect(shown(message)).toBe(expected);
  });

  const quoted = (object: JsonObject) =>
    ` "" is invalid: patch: Invalid value: ${JSON.stringify(JSON.stringify(object))}: json: cannot unmarshal`;
  it.each<JsonObject>([
    { metadata: { labels: { 'kubeveil.dev/tenant': 'acme' } } },
    { metadata: { managedFields: [{ fieldsV1: { 'f:metadata': { 'f:labels': { 'f:kubeveil.dev/tenant': {} } } } }] } },
    { metadata: { managedFields: [{ manager: 'kubeveil' }] } },
    { roleRef: { name: 'acme--unknown' }, a: 'a "quoted" word' },
    { subjects: [{ name: 'kubeveil.inert/globex/User/x' }] },
  ])('show nothing of a quoted object that holds what is ours: %j', (object) => {
    expect(shown(quoted(object))).toBe(' "" is invalid: patch: Invalid value: "{...}": json: cannot unmarshal');
    const twice = `${quoted(object)} and ${quoted({ a: 'b' })}`;
    expect(shown(twice)).toContain(`"{...}": json: cannot unmarshal and ${quoted({ a: 'b' })}`);
  });

  it('show the rest of a quoted object in the tenant’s terms', () => {
    const object = (namespace: string) => ({ metadata: { name: 'a', namespace }, data: 'x "y" \\ z' });
    expect(shown(quoted(object('acme--web')))).toBe(quoted(object('web')));
  });

  it('say nothing below our prefix but the tenant’s own audience', () => {
    expect(shown('map[metadata:map[labels:map[kubeveil.dev/tenant:acme a:b]]] is odd')).toBe('... a:b]]] is odd');
    const audience = 'token is for "kubeveil.dev/acme-uid", not for "x"';
    expect(shown(audience)).toBe(audience);
    expect(shown('token is for "kubeveil.dev/globex-uid"')).toBe('token is for ...');
  });

  it('end soon for text made to be slow', () => {
    const text = `${'"{'.repeat(50_000)}${'\\'.repeat(50_000)}kubeveil.dev/`;
    expect(shown(text)).not.toContain('kubeveil.dev/');
  });

  it('of virtual kinds name the kind as the tenant knows it', () => {
    const scope = scopeOf('acme');
    const at = kindAt(scope, 'rbac.authorization.k8s.io/clusterroles');
    toUpstream({ metadata: { name: 'a:b' } }, at, scope);
    const request = {
      group: 'rbac.authorization.k8s.io',
      resource: 'clusterroles',
      name: 'a:b',
      namespace: '' as const,
    };
    const status = failure('clusterroles.virtual.kubeveil.dev "acme--x--a03ab" already exists', {
      name: 'acme--x--a03ab',
      group: 'virtual.kubeveil.dev',
      kind: 'clusterroles',
    });
    expect(statusToTenant(status, scope, request)).toMatchObject({
      message: 'clusterroles.rbac.authorization.k8s.io "a:b" already exists',
      details: { name: 'a:b', group: 'rbac.authorization.k8s.io', kind: 'clusterroles' },
    });
  });

  it('of custom kinds name the group as the tenant knows it', () => {
    const scope = scopeOf('acme');
    toUpstream(
      { apiVersion: 'stable.example.com/v1', metadata: { name: 'w', namespace: 'web' } },
      kindAt(scope, 'stable.example.com/widgets'),
      scope,
    );
    const request = { group: 'stable.example.com', resource: 'widgets', name: 'w', namespace: 'web' as TenantName };
    const status = failure('Widget.acme--stable.example.com "w" is invalid: spec.size: Invalid value', {
      group: 'acme--stable.example.com',
      kind: 'Widget',
      causes: [{ field: 'spec.hard[count/a.acme--stable.example.com]', message: 'in acme--stable.example.com/v1' }],
    });
    expect(statusToTenant(status, scope, request)).toMatchObject({
      message: 'Widget.stable.example.com "w" is invalid: spec.size: Invalid value',
      details: {
        group: 'stable.example.com',
        causes: [{ field: 'spec.hard[count/a.stable.example.com]', message: 'in stable.example.com/v1' }],
      },
    });
  });

  it('name what the request names also when it sent no body', () => {
    const scope = scopeOf('acme', { namespaces: [] });
    const request = { group: 'stable.example.com', resource: 'widgets', name: 'w', namespace: 'gone' as TenantName };
    expect(
      statusToTenant(failure('widgets.acme--stable.example.com "w" in acme--gone'), scope, request)['message'],
    ).toBe('widgets.stable.example.com "w" in gone');
  });

  it('name the ConfigMap with the CA as the tenant does, whatever the request was about', () => {
    const configMap = (name: string) => ({ ...REQUEST, resource: 'configmaps', name });
    const gone = (name: string) => ({
      message: `configmaps "${name}" not found`,
      details: { name, kind: 'configmaps' },
    });
    const mapped = ({ message, details }: ReturnType<typeof gone>, request: typeof REQUEST) =>
      statusToTenant(failure(message, details), scopeOf('acme'), request);
    const [one, two, three] = ['', '.kubeveil', '.kubeveil.kubeveil'].map((mark) => `kube-root-ca.crt${mark}`);
    for (const [upstream = '', tenant = ''] of [
      [two, one],
      [three, two],
    ])
      for (const name of [tenant, '', 'other'])
        expect(mapped(gone(upstream), configMap(name))).toMatchObject(gone(tenant));
    const text = `object "acme--web"/"${two}" not registered, key ca.crt in ConfigMap acme--web/${two}.`;
    expect(shown(text)).toBe(`object "web"/"${one}" not registered, key ca.crt in ConfigMap web/${one}.`);
  });

  it('leave a name that is like it and something else', () => {
    const name = 'kube-root-ca.crt.kubeveil';
    const secret = { message: `secrets "${name}" not found`, details: { name, kind: 'secrets' } };
    const request = { ...REQUEST, resource: 'secrets', name };
    expect(statusToTenant(failure(secret.message, secret.details), scopeOf('acme'), request)).toMatchObject(secret);
    const text = 'kube-root-ca.crt a.kube-root-ca.crt.kubeveil kube-root-ca.crt.kubeveil.x kube-root-ca.crt.kubeveilx';
    expect(shown(text, { ...REQUEST, resource: 'configmaps' })).toBe(text);
  });

  it.each([
    ['1Ei', '1Ei'],
    ['1024Pi', '1Ei'],
    ['1999999999999999999', '1999999999999999999'],
  ])('quote the vast count %s as the tenant wrote it', (count, quoted) => {
    const scope = scopeOf('acme');
    const quota = { metadata: { name: 'q' }, spec: { hard: { configmaps: count } } };
    const { hard } = toUpstream(quota, kindAt(scope, '/resourcequotas'), scope)['spec'] as { hard: JsonObject };
    const refusal = (value: string) => `Invalid value: "${value}": must be an integer`;
    const status = failure(`spec.hard[configmaps]: ${refusal(canonicalQuantity(String(hard['configmaps'])))}`);
    const request = { ...REQUEST, resource: 'resourcequotas', name: 'q' };
    expect(statusToTenant(status, scope, request)['message']).toBe(`spec.hard[configmaps]: ${refusal(quoted)}`);
    expect(textToTenant('Invalid value: "6"', scope, request)).toBe('Invalid value: "6"');
  });

  it('do not name the host’s own policies and stored subjects', () => {
    const wall = `pods "p" is forbidden: ValidatingAdmissionPolicy 'kubeveil-subjects' with binding 'kubeveil-subjects' denied request: subjects must be inert`;
    expect(shown(wall)).toBe('pods "p" is forbidden: subjects must be inert');
    expect(shown('subject "kubeveil.inert/acme/ServiceAccount/web:bot"')).toBe('subject "web:bot"');
    const own = `pods "p" is forbidden: ValidatingAdmissionPolicy 'site' with binding 'site' denied request: no`;
    expect(shown(own)).toBe(own);
  });

  it('that tell of a failing policy of the host’s have the reason that goes with their code', () => {
    const failed = `policy 'kubeveil-pods' with binding 'kubeveil-pods' denied request: expression 'x' resulted in error: y`;
    const answer = (message: string, code: number) =>
      statusToTenant({ ...failure(message), reason: 'Invalid', code }, scopeOf('acme'), REQUEST);
    const said = 'the policy of this cluster could not judge this object, so it is not let in';
    expect(answer(failed, 403)).toMatchObject({ message: said, reason: 'Forbidden', code: 403 });
    expect(answer(failed, 422)).toMatchObject({ message: said, reason: 'Invalid', code: 422 });
    expect(answer(failed.replaceAll('kubeveil', 'site'), 403)).toMatchObject({ reason: 'Invalid' });
  });

  it('without details or metadata are mapped too', () => {
    const scope = scopeOf('acme');
    expect(statusToTenant({ kind: 'Status', message: 'acme--web' }, scope, REQUEST)).toEqual({
      kind: 'Status',
      message: 'web',
    });
    expect(textToTenant('x in acme--web', scope, REQUEST)).toBe('x in web');
  });
});
