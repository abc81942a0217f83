/**
 * Names that Kubernetes takes as "path segments" (`system:node`, `Pod Reader`), written as DNS names.
 *
 * A virtual kind is a custom resource upstream, whose name must be a DNS subdomain; the name of a ClusterRole may hold
 * anything but `/` and `%`. A name that is a DNS subdomain stays as it is; any other becomes `x--` and its characters,
 * with everything but letters, digits and inner dashes as `0` and two hex digits of each UTF-8 byte:
 *
 *   system:node   -> x--system03anode        (upstream: acme--x--system03anode)
 *
 * `0` is the mark because the server's generated suffixes never hold one, so a `generateName` base can be encoded too.
 * Order of names is not kept.
 *
 * @invariant decodeSegment(encodeSegment(x)) = x, and two names never meet (segments.test.ts).
 * @see k8s.io/apimachinery pkg/api/validate/content/path.go and dns.go at v0.36
 */
import { type TenantId, type TenantName, type TenantNames, toTenantName, toUpstreamName } from './names.ts';

const MARK = 'x--';
const PLAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const ENCODED = /^(?:[a-z1-9-]|0[0-9a-f]{2})*$/;

/** Characters that a name may have upstream, with the tenant's prefix. */
export const UPSTREAM_NAME_MAX = 253;

/** `reader` -> `reader`; `system:node` -> `x--system03anode`. */
export function encodeSegment(name: string): string {
  if (PLAIN.test(name) && !name.startsWith(MARK)) return name;
  return `${MARK}${escaped(name, true)}`;
}

/** Of a `generateName`: with the five characters that the server adds, this is the encoded form of the whole name. */
export function encodeSegmentBase(base: string): string {
  if (PLAIN.test(`${base}b`) && !base.startsWith(MARK)) return base;
  return `${MARK}${escaped(base, false)}`;
}

/** The name as it was; undefined when {@link encodeSegment} never gives this text. */
export function decodeSegment(text: string): string | undefined {
  if (!text.startsWith(MARK)) return PLAIN.test(text) ? text : undefined;
  const body = text.slice(MARK.length);
  if (!ENCODED.test(body)) return undefined;
  const bytes: number[] = [];
  for (let at = 0; at < body.length; at++) {
    if (body[at] === '0') {
      bytes.push(Number.parseInt(body.slice(at + 1, at + 3), 16));
      at += 2;
    } else bytes.push(body.charCodeAt(at));
  }
  try {
    const name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
    // One name, one text: what decodes but is not how we write it is nobody's.
    return encodeSegment(name) === text ? name : undefined;
  } catch {
    return undefined;
  }
}

/** How the names of one tenant's objects of virtual kinds are mapped: {@link tenantNames} over encoded segments. */
export function virtualNames(tenant: TenantId): TenantNames {
  return {
    tenant,
    up: (name) => toUpstreamName(tenant, encodeSegment(name) as TenantName),
    down: (name) => {
      const segment = toTenantName(tenant, name);
      return segment === undefined ? undefined : (decodeSegment(segment) as TenantName | undefined);
    },
  };
}

function escaped(name: string, whole: boolean): string {
  const bytes = new TextEncoder().encode(name);
  let out = '';
  bytes.forEach((byte, at) => {
    const char = String.fromCharCode(byte);
    const inner = char === '-' && (!whole || at < bytes.length - 1);
    out += /[a-z1-9]/.test(char) || inner ? char : `0${byte.toString(16).padStart(2, '0')}`;
  });
  return out;
}
