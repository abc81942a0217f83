/** A scripted host and the stage for requests that name no resource over it, for its unit tests. */
import { catalogOf } from '../../src/discovery/catalog.ts';
import type { Accept, NonResourceInfo, Reply, RequestHead } from '../../src/exchange.ts';
import { nameOf } from '../../src/k8s/meta.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { readHostVersions } from '../../src/kinds/host-versions.ts';
import { createKindRegistry } from '../../src/kinds/registry.ts';
import { createNonResourceHandler, type NonResourceHandler } from '../../src/nonresource/serve.ts';
import { parseRequestInfo } from '../../src/requestinfo/parse.ts';
import { type TenantId, tenantNames } from '../../src/tenancy/names.ts';
import type { Tenant } from '../../src/tenancy/tenant.ts';
import { type Scripted, ScriptedUpstream } from './scripted-upstream.ts';

function tenant(id: string): Tenant {
  return { id: id as TenantId, uid: id, createdAt: '', phase: 'Active', clientCaPem: '', policy: 'default' };
}

function resource(name: string, kind: string, verbs: string[], subresources: JsonObject[] = []): JsonObject {
  return {
    resource: name,
    responseKind: { group: '', version: 'v1', kind },
    scope: 'Namespaced',
    singularResource: kind.toLowerCase(),
    verbs,
    subresources,
  };
}
function subresource(name: string, kind: string): JsonObject {
  return { subresource: name, responseKind: { group: '', version: 'v1', kind }, verbs: ['get', 'create'] };
}
function discovery(name: string, ...resources: JsonObject[]): JsonObject {
  const metadata = name === '' ? {} : { name };
  return { kind: 'APIGroupDiscoveryList', items: [{ metadata, versions: [{ version: 'v1', resources }] }] };
}
const HOST = [
  discovery(
    '',
    resource(
      'pods',
      'Pod',
      ['get', 'list', 'delete'],
      [subresource('status', 'Pod'), subresource('binding', 'Binding')],
    ),
    resource('componentstatuses', 'ComponentStatus', ['get', 'list']),
  ),
  discovery('apps', resource('deployments', 'Deployment', ['get', 'list'])),
  discovery('host-only.example.com', resource('secrets', 'Plan', ['get'])),
];

/** A CRD `foos.stable.example.com` of one tenant, as upstream stores it. */
function crd(owner: string, plural = 'foos'): JsonObject {
  const group = `${owner}--stable.example.com`;
  const versions = [{ name: 'v1', served: true, storage: true, subresources: { status: {} } }];
  return {
    metadata: { name: `${plural}.${group}`, labels: { 'kubeveil.dev/tenant': owner } },
    spec: { group, scope: 'Namespaced', versions },
    status: {
      acceptedNames: { plural, kind: 'Foo', singular: `${owner}--foo`, shortNames: [`${owner}--fo`] },
      conditions: [{ type: 'Established', status: 'True' }],
    },
  };
}
const CRDS = [crd('acme'), crd('globex', 'bars')];

const GVK = 'x-kubernetes-group-version-kind';
function operation(group: string, kind: string, schema: string, root: string): JsonObject {
  return { get: { operationId: `read${kind}`, [GVK]: { group, kind, version: 'v1' }, $ref: `${root}${schema}` } };
}
const POD = operation('', 'Pod', 'io.k8s.api.core.v1.Pod', '#/definitions/');
const FOO = operation('acme--stable.example.com', 'Foo', 'com.example.acme--stable.v1.Foo', '#/definitions/');
const FOO_TYPE = { [GVK]: [{ group: 'acme--stable.example.com', kind: 'Foo', version: 'v1' }] };

function ok(body: JsonObject): Scripted {
  return { status: 200, body };
}

export interface Asked {
  who?: string;
  method?: string;
  headers?: Record<string, string>;
  as?: Accept['as'];
}

/** A host with four groups, and two tenants with a CRD each: `foos` of acme and `bars` of globex, of the same group. */
export class NonResourceHost {
  /** What the host answers, path by path; any other is 404. */
  readonly answers = new Map<string, Scripted>([
    ['/version', ok({ major: '1', minor: '36', gitVersion: 'v1.36.3' })],
    [
      '/openapi/v3',
      ok({
        paths: {
          'api/v1': { serverRelativeURL: '/openapi/v3/api/v1?hash=A' },
          'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=B' },
          'apis/acme--stable.example.com/v1': {
            serverRelativeURL: '/openapi/v3/apis/acme--stable.example.com/v1?hash=C',
          },
          'apis/globex--stable.example.com/v1': { serverRelativeURL: '/x?hash=D' },
          'apis/host-only.example.com/v1': { serverRelativeURL: '/x?hash=E' },
          version: { serverRelativeURL: '/openapi/v3/version?hash=F' },
        },
      }),
    ],
    [
      '/openapi/v3/apis/acme--stable.example.com/v1',
      ok({
        openapi: '3.0.0',
        paths: { '/apis/acme--stable.example.com/v1/namespaces/{namespace}/foos/{name}': FOO },
        components: { schemas: { 'com.example.acme--stable.v1.Foo': FOO_TYPE } },
      }),
    ],
    [
      '/openapi/v3/api/v1',
      ok({
        openapi: '3.0.0',
        paths: {
          '/api/v1/pods': POD,
          '/api/v1/componentstatuses': POD,
          '/api/v1/namespaces/{namespace}/pods/{name}/binding': POD,
        },
        components: { schemas: { 'io.k8s.api.core.v1.Pod': {} } },
      }),
    ],
    [
      '/openapi/v2',
      ok({
        swagger: '2.0',
        paths: {
          '/api/v1/namespaces/{namespace}/pods/{name}': POD,
          '/apis/acme--stable.example.com/v1/namespaces/{namespace}/foos/{name}': FOO,
          '/apis/globex--stable.example.com/v1/bars': FOO,
          '/apis/host-only.example.com/v1/secrets': FOO,
        },
        definitions: {
          'io.k8s.api.core.v1.Pod': {},
          'com.example.acme--stable.v1.Foo': FOO_TYPE,
          'com.example.globex--stable.v1.Bar': {},
          'com.example.host-only.v1.Plan': {},
        },
      }),
    ],
  ]);
  readonly upstream = new ScriptedUpstream(
    ({ path }) => this.answers.get(path) ?? { status: 404, body: { kind: 'Status' } },
  );

  readonly #handle = this.#handler();

  /** The answer to a request that has passed every check. */
  async ask(target: string, { who = 'acme', method = 'GET', headers = {}, as }: Asked = {}): Promise<Reply> {
    return await this.#handle({
      head: { headers: new Map(Object.entries(headers)) } as unknown as RequestHead,
      info: parseRequestInfo(method, target) as NonResourceInfo,
      accept: { media: 'json', as },
      tenant: tenant(who),
    });
  }

  #handler(): NonResourceHandler {
    const kinds = createKindRegistry({
      customKinds: {
        synced: true,
        subscribe(listener) {
          for (const object of CRDS) listener({ type: 'added', object });
          return () => {};
        },
      },
      versions: () => readHostVersions(...HOST),
      sharedGroups: new Set(),
      profileOf: () => 'baseline',
    });
    return createNonResourceHandler({
      upstream: this.upstream,
      kinds,
      namesOf: ({ id }) => tenantNames(id),
      checks: [{ name: 'informer-sync', passes: () => true }],
      server: async () => 'https://proxy.example.com',
      catalogOf: (one) =>
        catalogOf(one, {
          hostDocuments: () => HOST,
          listKinds: (of) => kinds.list(of),
          crds: { get: (_namespace, name) => CRDS.find((object) => nameOf(object) === name) },
        }),
    });
  }

  /** The object of a 200. */
  async object(target: string, asked: Asked = {}): Promise<JsonObject> {
    const reply = await this.ask(target, asked);
    if (reply.kind === 'bytes' && reply.status === 200) return JSON.parse(Buffer.from(reply.bytes).toString());
    if (reply.kind !== 'object' || reply.status !== 200) throw new Error(`${target} was answered with ${reply.kind}`);
    return reply.object;
  }
}
