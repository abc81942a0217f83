/**
 * Which pod answers for a service. The API server would connect to whatever address an endpoint names, and a tenant
 * writes endpoints: so a service is reached by way of its pods, whose addresses the kubelet tells and not the tenant.
 *
 * @see k8s.io/kubernetes pkg/registry/core/service/storage/storage.go (ResourceLocation) at v1.36
 */
import { parseJson } from '../codec/json.ts';
import { ApiError, notFound } from '../errors.ts';
import { child, objects } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { ConnectDeps, Routed } from './call.ts';

type Query = ReadonlyArray<readonly [string, string]>;

/** `[scheme:]name[:port]`, as the last part of a path names what is connected to. */
interface Named {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

function parseNamed(text: string): Named {
  const parts = text.split(':');
  if (parts.length === 1) return { scheme: '', name: text, port: '' };
  if (parts.length === 2) return { scheme: '', name: parts[0] ?? '', port: parts[1] ?? '' };
  if (parts.length === 3) return { scheme: parts[0] ?? '', name: parts[1] ?? '', port: parts[2] ?? '' };
  throw new ApiError('ERR_BAD_REQUEST', `invalid service request ${JSON.stringify(text)}`, { why: 'malformed-url' });
}

/** @returns the pod and port to ask for, in the same form. @throws {ApiError} as kube-apiserver where none is there */
export async function backendOf(call: Routed, deps: ConnectDeps): Promise<string> {
  const { scheme, name, port } = parseNamed(call.info.name);
  const service = await read(call, deps, `/api/v1/${call.inNamespace}/services/${encodeURIComponent(name)}`);
  const portName = portNameOf(service, name, port);
  const slices = await read(call, deps, `/apis/discovery.k8s.io/v1/${call.inNamespace}/endpointslices`, [
    ['labelSelector', `kubernetes.io/service-name=${name}`],
  ]);
  const backends = objects(slices, 'items').flatMap((slice) => backendsIn(slice, portName));
  const chosen = backends[Math.floor(Math.random() * backends.length)];
  if (chosen === undefined) {
    throw new ApiError('ERR_UNAVAILABLE', `no endpoints available for service ${JSON.stringify(call.info.name)}`, {
      why: 'no-endpoints',
    });
  }
  return `${scheme === '' ? '' : `${scheme}:`}${chosen}`;
}

/** A port is asked for by its name, by its number, or not at all where there is one without a name. */
function portNameOf(service: JsonObject, name: string, asked: string): string {
  const ports = objects(child(service, 'spec'), 'ports');
  const found = ports.find((port) => (port['name'] ?? '') === asked || String(port['port']) === asked);
  if (found !== undefined) return typeof found['name'] === 'string' ? found['name'] : '';
  const [only] = ports;
  if (asked === '' && ports.length === 1 && only !== undefined) return String(only['name'] ?? '');
  throw new ApiError(
    'ERR_UNAVAILABLE',
    `no service port ${JSON.stringify(asked)} found for service ${JSON.stringify(name)}`,
    {
      why: 'no-such-port',
    },
  );
}

/** `pod:8080` for each pod of a slice that is ready and has the port. */
function backendsIn(slice: JsonObject, portName: string): string[] {
  const port = objects(slice, 'ports').find((one) => (one['name'] ?? '') === portName)?.['port'];
  if (typeof port !== 'number') return [];
  return objects(slice, 'endpoints').flatMap((endpoint) => {
    const { kind, name } = child(endpoint, 'targetRef');
    const ready = child(endpoint, 'conditions')['ready'] !== false;
    return ready && kind === 'Pod' && typeof name === 'string' ? [`${name}:${port}`] : [];
  });
}

async function read(call: Routed, { upstream }: ConnectDeps, path: string, query: Query = []): Promise<JsonObject> {
  const { as: identity, head, info } = call;
  const { status, body } = await upstream.request({ identity, method: 'GET', path, query, signal: head.signal });
  if (status === 404) throw notFound({ group: '', what: info.resource, name: parseNamed(info.name).name });
  const document = status === 200 ? parseJson(body) : undefined;
  if (!isObject(document)) {
    throw new ApiError('ERR_UNAVAILABLE', 'the endpoints of the service cannot be read at the moment; try again', {
      cause: new Error(`${path} was answered with ${status}`),
    });
  }
  return document;
}
