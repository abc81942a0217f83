/**
 * What an operator applies to the host to turn the relay on: a policy that shows a token in each object that one of the
 * host's controllers makes for a tenant that asked for it, and the webhook by which the API server then asks the proxy.
 *
 * The operator writes them and no account of the proxy could: whoever may write webhook configurations rules the host.
 * Both speak of namespaces with the label of the relay alone, which the proxy gives those of tenants whose policy says so.
 */
import { randomBytes } from 'node:crypto';
import { child, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Upstream } from '../ports.ts';
import { RELAY_LABEL } from '../tenancy/host-guards.ts';
import {
  PROXY_NAMESPACE,
  PROXY_NAMESPACE_PATH,
  PUBLIC_CONFIG_MAP,
  RELAY_MARK,
  RELAY_OBJECT,
  RELAY_ROOT,
  RELAY_SECRET,
  TENANTS_GROUP,
} from '../tenancy/host-names.ts';
import { createHostClient } from '../upstream/host-client.ts';

const GROUP = 'admissionregistration.k8s.io/v1';
/** What controllers of the host make of what a tenant wrote, and its webhooks may want to see. */
const RULES = [
  { apiGroups: [''], resources: ['pods', 'persistentvolumeclaims'] },
  { apiGroups: ['apps'], resources: ['replicasets', 'controllerrevisions'] },
  { apiGroups: ['batch'], resources: ['jobs'] },
  { apiGroups: ['resource.k8s.io'], resources: ['resourceclaims'] },
].map((rule) => ({ ...rule, apiVersions: ['v1'], operations: ['CREATE'], scope: 'Namespaced' }));

/** What came through the proxy has met the tenant's admission there; what the proxy makes itself has not to. */
const NOT_BY_THE_PROXY = {
  name: 'not-by-the-proxy',
  expression: `!('${TENANTS_GROUP}' in request.userInfo.groups) && !request.userInfo.username.startsWith('system:serviceaccount:${PROXY_NAMESPACE}:')`,
};
const ASKED_FOR = { matchExpressions: [{ key: RELAY_LABEL, operator: 'Exists' }] };

/** Where the API server reaches the proxy. */
export type RelayTarget =
  | { readonly url: string }
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port: number } };

/** What the manifests are made of. */
export interface RelaySetup {
  readonly target: RelayTarget;
  readonly token: string;
  /** The last part of the URL, made of the token. */
  readonly door: string;
  /** CA of the proxy. */
  readonly caPem: string;
}

/** `clientConfig` of a webhook that the proxy serves at `path`. */
export function clientConfigOf({ target, caPem }: Pick<RelaySetup, 'target' | 'caPem'>, path: string): JsonObject {
  const place =
    'url' in target ? { url: target.url.replace(/\/$/, '') + path } : { service: { ...target.service, path } };
  return { ...place, caBundle: Buffer.from(caPem).toString('base64') };
}

export function relayManifests({ target, token, door, caPem }: RelaySetup): JsonObject[] {
  const clientConfig = clientConfigOf({ target, caPem }, RELAY_ROOT + door);
  const key = RELAY_MARK.replaceAll('~', '~0').replaceAll('/', '~1');
  return [
    {
      apiVersion: GROUP,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name: RELAY_OBJECT },
      spec: {
        failurePolicy: 'Fail',
        // The proxy takes the token out again.
        reinvocationPolicy: 'Never',
        matchConstraints: { namespaceSelector: ASKED_FOR, resourceRules: RULES },
        matchConditions: [NOT_BY_THE_PROXY],
        mutations: [
          {
            patchType: 'JSONPatch',
            jsonPatch: {
              expression: `(has(object.metadata.annotations) ? [] : [JSONPatch{op: 'add', path: '/metadata/annotations', value: {}}]) + [JSONPatch{op: 'add', path: '/metadata/annotations/${key}', value: '${token}'}]`,
            },
          },
        ],
      },
    },
    {
      apiVersion: GROUP,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name: RELAY_OBJECT },
      spec: { policyName: RELAY_OBJECT },
    },
    {
      apiVersion: GROUP,
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: RELAY_OBJECT },
      webhooks: [
        {
          name: 'relay.kubeveil.dev',
          clientConfig,
          rules: RULES,
          namespaceSelector: ASKED_FOR,
          matchConditions: [NOT_BY_THE_PROXY],
          // Of a tenant that asked for it, nothing is made that its admission has not seen.
          failurePolicy: 'Fail',
          timeoutSeconds: 2,
          sideEffects: 'NoneOnDryRun',
          admissionReviewVersions: ['v1'],
          reinvocationPolicy: 'Never',
        },
      ],
    },
  ];
}

/** What the operator has set up so far on the host, with the operator's own rights. */
export class RelaySecrets {
  readonly #host;

  constructor(upstream: Upstream) {
    this.#host = createHostClient(upstream, { as: 'reader' });
  }

  /**
   * Where the proxy is, as it says; `server` is '' where it does not and a place `isGiven`.
   * @throws {Error} while it has not told what is needed
   */
  async published({ isGiven }: { isGiven: boolean }): Promise<{ server: string; caPem: string }> {
    const found = await this.#host.get(`${PROXY_NAMESPACE_PATH}/configmaps/${PUBLIC_CONFIG_MAP}`);
    const data = child(found, 'data');
    const [server, caPem] = [text(data, 'server'), text(data, 'ca.crt')];
    if (caPem === '') {
      throw new Error('the proxy has not run on this cluster yet, so its CA is not known; start it first');
    }
    if (server === '' && !isGiven) {
      throw new Error('the proxy has not told where it is: give --url or --service');
    }
    return { server, caPem };
  }

  /** The token, made when there is none. @param isNew makes another; the one before counts until the next time */
  async token(isNew: boolean): Promise<string> {
    const path = `${PROXY_NAMESPACE_PATH}/secrets/${RELAY_SECRET}`;
    const stored = await this.#host.get(path);
    const before = Buffer.from(text(child(stored, 'data'), 'token'), 'base64').toString('utf8');
    if (before !== '' && !isNew) return before;
    const token = randomBytes(32).toString('base64url');
    const stringData = { token, ...(before === '' ? {} : { previous: before }) };
    if (stored === undefined) {
      const metadata = { name: RELAY_SECRET, namespace: PROXY_NAMESPACE };
      await this.#host.create(`${PROXY_NAMESPACE_PATH}/secrets`, {
        ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
        metadata,
        stringData,
      });
    } else {
      await this.#host.merge(path, { stringData });
    }
    return token;
  }
}
