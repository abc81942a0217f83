/**
 * Connections into pods under admission: what is shown is how the connection is to be, `PodExecOptions` and the like.
 * @see k8s.io/apiserver pkg/endpoints/handlers/rest.go (ConnectResource) at v0.36
 */
import type { ResourceInfo } from '../exchange.ts';
import { strings } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { subjectOf } from './admission-subject.ts';
import type { Call, VerbDeps } from './call.ts';

/** By resource and subresource. What is not here is a read, as logs are. */
const KINDS: Readonly<Record<string, string>> = {
  'pods/exec': 'PodExecOptions',
  'pods/attach': 'PodAttachOptions',
  'pods/portforward': 'PodPortForwardOptions',
  'pods/proxy': 'PodProxyOptions',
  'services/proxy': 'ServiceProxyOptions',
};
const FLAGS = ['stdin', 'stdout', 'stderr', 'tty'] as const;

/**
 * The request as what mutates leaves it.
 * @throws {ApiError} when it is refused
 */
export async function admitConnect(call: Call, deps: VerbDeps): Promise<ResourceInfo> {
  const { info } = call;
  const kind = KINDS[`${info.resource}/${info.subresource}`];
  if (kind === undefined) return info;
  const round = deps.admission({
    ...subjectOf(call, deps, 'CONNECT'),
    kind: { group: '', version: 'v1', kind },
    dryRun: false,
    options: {},
  });
  if (round === undefined) return info;
  const shown: JsonObject = { kind, apiVersion: 'v1', ...optionsOf(info) };
  const made = await round.mutate(shown, undefined);
  await round.validate(made, undefined);
  return made === shown ? info : changed(info, made);
}

function optionsOf({ subresource, query, repeated, rest }: ResourceInfo): JsonObject {
  if (subresource === 'proxy') return rest.length === 0 ? {} : { path: `/${rest.join('/')}` };
  if (subresource === 'portforward') {
    const ports = (repeated?.get('ports') ?? []).map(Number).filter(Number.isInteger);
    return ports.length === 0 ? {} : { ports };
  }
  const options: JsonObject = {};
  for (const name of FLAGS) if (isTrue(query.get(name))) options[name] = true;
  const container = query.get('container') ?? '';
  if (container !== '') options['container'] = container;
  const command = repeated?.get('command') ?? [];
  if (subresource === 'exec') options['command'] = command.length === 0 ? null : [...command];
  return options;
}

/** As Go reads a flag. */
function isTrue(value: string | undefined): boolean {
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
}

/** What a mutation may change: which command runs, in which container, with which streams. */
function changed(info: ResourceInfo, made: JsonObject): ResourceInfo {
  if (info.subresource !== 'exec' && info.subresource !== 'attach') return info;
  const query = new Map(info.query);
  for (const name of FLAGS) query.set(name, String(made[name] === true));
  const { container } = made;
  if (typeof container === 'string' && container !== '') query.set('container', container);
  else query.delete('container');
  const repeated = new Map(info.repeated ?? []);
  if (info.subresource === 'exec') repeated.set('command', strings(made, 'command'));
  return { ...info, query, repeated };
}
