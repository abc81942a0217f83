/**
 * Verbs over a scripted host, for unit tests: the real translator and table of kinds, one tenant (`acme`) with the ready
 * namespaces `default` and `web`, and a host that answers what the test says.
 */

import { stringifyRepeated } from '../../src/codec/repeated-keys.ts';
import { createSealer } from '../../src/codec/seal.ts';
import type { ApiError } from '../../src/errors.ts';
import type { Accept, Reply, SharedEvent } from '../../src/exchange.ts';
import { headOfOwn } from '../../src/exchange.ts';
import type { DeletedObject, Informer } from '../../src/k8s/informer.ts';
import { keyOf } from '../../src/k8s/meta.ts';
import type { Attributes } from '../../src/k8s/rbac.ts';
import type { JsonObject, WatchEvent } from '../../src/k8s/types.ts';
import type { Profile } from '../../src/kinds/kind.ts';
import type { GrantGuard, HostNames, NamespaceRegistry, UpstreamRequest } from '../../src/ports.ts';
import { parseRequestInfo } from '../../src/requestinfo/parse.ts';
import type { Scope } from '../../src/translate/scope.ts';
import type { Call, VerbDeps } from '../../src/verbs/call.ts';
import { NOTHING_KEPT } from '../../src/verbs/kept.ts';
import { createLocalViews } from '../../src/verbs/local-views.ts';
import { Sessions } from '../../src/verbs/sessions.ts';
import { serve } from '../../src/verbs/verbs.ts';
import { virtualBehaviour } from '../../src/virtual/behaviours.ts';
import { createStandingObjects } from '../../src/virtual/standing.ts';
import { printerOf } from '../../src/virtual/tables.ts';
import { type Scripted, ScriptedUpstream, textOf } from './scripted-upstream.ts';
import { scopeOf } from './translate-scope.ts';

export interface LabOptions {
  readonly tenant?: string;
  /** What the tenant's namespaces are; any other is absent. */
  readonly namespaces?: Readonly<Record<string, ReturnType<NamespaceRegistry['state']>>>;
  /** Followed collections, by path. */
  readonly followed?: ReadonlyMap<string, Informer>;
  /** The default of a kind of classes. */
  readonly defaults?: Readonly<Record<string, ReturnType<HostNames['defaultOf']>>>;
  readonly profile?: Profile;
  /** Names of every published kind that the policy shares. */
  readonly shared?: ReadonlySet<string>;
  /** What is kept in memory; left out: nothing. */
  readonly cache?: VerbDeps['cache'];
  /** Left out: true. */
  readonly readsSecretsAcross?: boolean;
  readonly isSession?: boolean;
  /** Told where the host is found to have gone back to a backup. */
  readonly onRestored?: () => void;
  /** Who may grant what; everybody everything when left out. */
  readonly grants?: GrantGuard;
  /** Rights besides those that a request itself takes; everybody has all when left out. */
  readonly allows?: (attributes: Attributes) => boolean;
  /** Why nobody may create anything; everybody may when left out. */
  readonly creationRefusal?: ApiError;
}

export interface RequestOptions {
  readonly accept?: Accept['as'];
  readonly body?: JsonObject | JsonObject[];
  /** Media type of the body. */
  readonly type?: string;
}

type Answers = Readonly<Record<string, Scripted>> | ((request: UpstreamRequest) => Scripted | Promise<Scripted>);

export class VerbLab {
  readonly upstream: ScriptedUpstream;
  readonly deps: VerbDeps;
  readonly scope: Scope;
  /** Why objects were left out. */
  readonly leftOut: string[] = [];
  /** Namespaces that were made, in upstream terms. */
  readonly made: JsonObject[] = [];

  /** @param answers by `GET /path?query`, or one function for all; a request that is not among them fails the test */
  constructor(answers: Answers, options: LabOptions = {}) {
    const { namespaces = { default: 'ready', web: 'ready' } } = options;
    this.scope = scopeOf(options.tenant ?? 'acme', {
      namespaces: Object.keys(namespaces),
      profile: options.profile ?? 'baseline',
      published: [...(options.shared ?? [])],
    });
    this.upstream = new ScriptedUpstream(typeof answers === 'function' ? answers : byText(answers));
    const state = (name: string) => namespaces[name] ?? 'absent';
    this.deps = {
      upstream: this.upstream,
      namespaces: {
        state: (_tenant, name) => state(name),
        get: (_tenant, name) => (state(name) === 'absent' ? undefined : { metadata: { name: `acme--${name}` } }),
      },
      provisioner: {
        createNamespace: async (_tenant, object, query, repeated = []) => {
          this.made.push(object);
          return await this.upstream.request({
            identity: { as: 'provisioner' },
            method: 'POST',
            path: '/api/v1/namespaces',
            query,
            body: stringifyRepeated(object, repeated),
          });
        },
        exists: async (_tenant, name) => state(name) !== 'absent',
        ensureReady: async (_tenant, name) => {
          this.made.push({ metadata: { name } });
        },
      },
      sealer: SEALER,
      cache: options.cache ?? NOTHING_KEPT,
      views: createLocalViews(options.followed ?? new Map()),
      standing: createStandingObjects(() => ['10.0.0.0/16']),
      virtual: virtualBehaviour,
      nativeMerge: async () => undefined,
      printers: printerOf,
      grants: options.grants ?? { applies: () => false, check: async () => {} },
      creationRefusal: () => options.creationRefusal,
      quotaRefusal: () => undefined,
      allows: (_call, attributes) => options.allows?.(attributes) ?? true,
      admission: () => undefined,
      isSession: () => options.isSession ?? false,
      sessions: new Sessions(options.onRestored ?? (() => {})),
      readsSecretsAcross: () => options.readsSecretsAcross ?? true,
      isPublished: (_call, name) => options.shared?.has(name) ?? true,
      defaultOf: (_call, of) => options.defaults?.[of],
      isTrusted: () => options.profile === 'trusted',
      webhooks: { call: async () => ({ failure: 'there are none' }) },
      onLeftOut: (_call, error) => this.leftOut.push(String(error)),
    };
  }

  call(method: string, target: string, options: RequestOptions = {}): Call {
    const info = parseRequestInfo(method, target);
    if (!info.isResource) throw new Error(`${target} names no resource`);
    const { tenant } = this.scope;
    const at = this.scope.kinds.byResource(tenant, info.group, info.version, info.resource);
    if (at === undefined) throw new Error(`${target} names no kind that ${tenant.id} has`);
    return {
      head: headOfOwn({ id: 'id', method, target, signal: new AbortController().signal }),
      info,
      identity: { username: 'alice', groups: ['system:authenticated'], uid: '', extra: {} },
      tenant,
      at,
      accept: { media: 'json', as: options.accept },
      body:
        options.body === undefined
          ? undefined
          : { contentType: options.type ?? 'application/json', document: structuredClone(options.body) },
      scope: this.scope,
    };
  }

  async request(method: string, target: string, options?: RequestOptions): Promise<Reply> {
    return await serve(this.call(method, target, options), this.deps);
  }

  /** The document and status of a request that is not a watch. */
  async ask(method: string, target: string, options?: RequestOptions): Promise<{ status: number; object: JsonObject }> {
    const reply = await this.request(method, target, options);
    if (reply.kind !== 'object') throw new Error(`${method} ${target} was answered with ${reply.kind}`);
    return reply;
  }

  /** The events of a watch. */
  async watch(target: string, options?: RequestOptions): Promise<AsyncIterator<WatchEvent | SharedEvent>> {
    const reply = await this.request('GET', target, options);
    if (reply.kind !== 'watch') throw new Error(`GET ${target} was answered with ${reply.kind}`);
    return reply.events[Symbol.asyncIterator]();
  }
}

/** One of all labs, so that a token of one tenant can be shown to another. */
const SEALER = createSealer([Buffer.alloc(32, 7)]);

function byText(answers: Readonly<Record<string, Scripted>>): (request: UpstreamRequest) => Scripted {
  return (request) => {
    const answer = answers[textOf(request)];
    if (answer === undefined) throw new Error(`the test expects no ${textOf(request)}`);
    // What is answered is changed by whoever gets it.
    return answer;
  };
}

export const PARTIAL_ONE = { kind: 'PartialObjectMetadata', group: 'meta.k8s.io', version: 'v1' } as const;
export const PARTIAL_ALL = { ...PARTIAL_ONE, kind: 'PartialObjectMetadataList' } as const;
export const TABLE = { kind: 'Table', group: 'meta.k8s.io', version: 'v1' } as const;

/** A collection as upstream would list it. */
export function listOf(
  kind: string,
  version: number,
  items: readonly JsonObject[],
  metadata: JsonObject = {},
): Scripted {
  const apiVersion = kind.startsWith('Cluster') ? 'virtual.kubeveil.dev/v1' : 'v1';
  return {
    status: 200,
    body: { kind, apiVersion, metadata: { resourceVersion: String(version), ...metadata }, items: [...items] },
  };
}

/** A refusal as upstream would give it. */
export function refusal(code: number, reason: string, message = reason, metadata: JsonObject = {}): Scripted {
  return {
    status: code,
    body: { kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure', message, reason, code },
  };
}

/** An informer that holds what the test puts in, and hears of nothing but notes. */
export class NotedInformer implements Informer {
  readonly synced = true;
  readonly objects = new Map<string, JsonObject>();
  readonly whenSynced = () => Promise.resolve();
  get = (namespace: string, name: string) => this.objects.get(namespace === '' ? name : `${namespace}/${name}`);
  list = () => this.objects.values();
  subscribe = () => () => {};
  note(object: JsonObject): void {
    this.objects.set(keyOf(object), object);
  }
  forget({ namespace, name }: DeletedObject): void {
    this.objects.delete(namespace === '' ? name : `${namespace}/${name}`);
  }
}
