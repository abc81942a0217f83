/**
 * The target of a request, as it may be kept: the path whole, and of the query what says which objects are meant. Anything
 * else may hold a secret (a token, the command of an exec) and only its name stays.
 */
import { logged } from '../observe/log.ts';

const SHOWN: ReadonlySet<string> = new Set([
  'allowWatchBookmarks',
  'container',
  'dryRun',
  'fieldManager',
  'fieldSelector',
  'fieldValidation',
  'follow',
  'force',
  'gracePeriodSeconds',
  'labelSelector',
  'limit',
  'limitBytes',
  'orphanDependents',
  'ports',
  'pretty',
  'previous',
  'propagationPolicy',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'sinceSeconds',
  'sinceTime',
  'stderr',
  'stdin',
  'stdout',
  'tailLines',
  'timeout',
  'timeoutSeconds',
  'timestamps',
  'tty',
  'watch',
]);
const MAX_CHARACTERS = 2_048;

/** @param isOurs false where the query goes to a pod, so that no name in it is known */
export function requestUri(target: string, isOurs: boolean): string {
  const [path = '', query] = split(target);
  const kept = query?.split('&').map((pair) => {
    const [name = '', value] = pair.split('=', 2);
    return isOurs && SHOWN.has(name) ? pair : `${name}${value === undefined ? '' : '=(hidden)'}`;
  });
  return logged(kept === undefined ? path : `${path}?${kept.join('&')}`, MAX_CHARACTERS) ?? '';
}

function split(target: string): readonly [string, string?] {
  const at = target.indexOf('?');
  return at < 0 ? [target] : [target.slice(0, at), target.slice(at + 1)];
}
