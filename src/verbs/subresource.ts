/** The kind of a request's body: a subresource may have one of its own, as `pods/eviction` has `policy/v1 Eviction`. */
import type { Kind } from '../kinds/kind.ts';
import type { KindAtVersion } from '../ports.ts';
import type { Call } from './call.ts';

/** apiVersions of subresource bodies, by kind. */
const BODY_VERSION: Readonly<Record<string, { group: string; version: string }>> = {
  Scale: { group: 'autoscaling', version: 'v1' },
  Eviction: { group: 'policy', version: 'v1' },
  TokenRequest: { group: 'authentication.k8s.io', version: 'v1' },
  Binding: { group: '', version: 'v1' },
};

export function bodyKindOf(call: Call): KindAtVersion {
  const { subresource } = call.info;
  if (subresource === '') return call.at;
  const own = call.at.kind.subresources[subresource];
  if (own?.kind === undefined) return call.at;
  const body = BODY_VERSION[own.kind] ?? { group: call.info.group, version: call.at.version };
  const kind: Kind = { ...call.at.kind, kind: own.kind, group: body.group, refs: own.refs ?? [] };
  const apiVersion = body.group === '' ? body.version : `${body.group}/${body.version}`;
  return { ...call.at, kind, class: 'native', version: body.version, upstreamApiVersion: apiVersion };
}

/** The same call, seen as one for the kind of its body: for mapping the answer. */
export function withBodyKind(call: Call): Call {
  return { ...call, at: bodyKindOf(call) };
}
