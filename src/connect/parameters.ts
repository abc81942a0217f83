/**
 * Which query parameters of a connection go upstream: an allow-list for each subresource.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ (PodLogOptions, PodExecOptions, ...)
 */
import type { ResourceInfo } from '../exchange.ts';

const STREAMS = ['stdin', 'stdout', 'stderr', 'tty', 'container'];
const BY_SUBRESOURCE: Readonly<Record<string, readonly string[]>> = {
  exec: STREAMS,
  attach: STREAMS,
  log: [
    'container',
    'follow',
    'previous',
    'sinceSeconds',
    'sinceTime',
    'timestamps',
    'tailLines',
    'limitBytes',
    'insecureSkipTLSVerifyBackend',
    'stream',
  ],
};

/** As a query, without `?`. */
export function connectParameters({ subresource, query, repeated = new Map() }: ResourceInfo): string {
  const parameters = new URLSearchParams();
  for (const name of BY_SUBRESOURCE[subresource] ?? []) {
    const value = query.get(name);
    if (value !== undefined) parameters.append(name, value);
  }
  for (const [name, values] of repeated) for (const value of values) parameters.append(name, value);
  return parameters.toString();
}
