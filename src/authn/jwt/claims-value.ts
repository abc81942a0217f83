/**
 * The claims of a token, and the user made of them, as expressions see them. As kube-apiserver: every number is a double,
 * and a name that is none in an expression can be written escaped, `claims.example__dot__com`.
 *
 * @see k8s.io/apiserver plugin/pkg/authenticator/token/oidc/oidc.go (newClaimsValue) at v0.36
 * @see k8s.io/apiserver pkg/cel/escaping.go at v0.36
 */
import { ListValue, MapValue, type Value } from '../../cel/values.ts';
import { isObject } from '../../k8s/types.ts';

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['underscores', '__'],
  ['dot', '.'],
  ['dash', '-'],
  ['slash', '/'],
]);

/** @param json of the token's payload, or of a user */
export function claimsValue(json: unknown): Value {
  if (Array.isArray(json)) return new ListValue(json.map(claimsValue));
  if (!isObject(json)) return json as Value;
  const map = new EscapedMap();
  for (const [key, value] of Object.entries(json)) map.set(key, claimsValue(value));
  return map;
}

class EscapedMap extends MapValue {
  override get(key: Value): Value | undefined {
    return super.get(typeof key === 'string' ? unescaped(key) : key);
  }
}

/** `example__dot__com` -> `example.com`, `__in__` -> `in`; a name without escapes is itself. */
function unescaped(name: string): string {
  const keyword = /^__([a-z]+)__$/.exec(name)?.[1];
  if (keyword !== undefined && !ESCAPES.has(keyword)) return keyword;
  return name.replace(/__(underscores|dot|dash|slash)__/g, (all, word: string) => ESCAPES.get(word) ?? all);
}
