/**
 * The programs of the dev and test control plane: which they are, at which version, how each tells its version, and
 * where its source is. deploy/dev-cluster/go.mod pins the same versions (a test compares them).
 */

import { homedir } from 'node:os';
import { join } from 'node:path';

export const KUBERNETES_VERSION = '1.36.3';
export const ETCD_VERSION = '3.6.13';
export const KWOK_VERSION = '0.8.0';
export const METRICS_SERVER_VERSION = '0.9.0';
/** Of our own: see deploy/dev-cluster/kubelet/main.go, which has the same. */
export const DEV_KUBELET_VERSION = '2';

/** What no control plane does without. */
export type RequiredName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kwok'
  | 'kubectl';
/** What is left out where it cannot be built. */
export type OptionalName = 'dev-kubelet' | 'metrics-server';
export type ProgramName = RequiredName | OptionalName;

export interface ProgramInfo {
  readonly name: ProgramName;
  /** Pinned version, without `v`. */
  readonly version: string;
  /** `minor`: another patch of the same minor found on the machine will do. */
  readonly accepts: 'exact' | 'minor';
  readonly versionArgs: readonly string[];
  /** Group 1 is the version in what `versionArgs` prints, without `v`. */
  readonly versionPattern: RegExp;
  /** The Go package that `go build` turns into the program. */
  readonly goPackage: string;
  /** Where that is pinned, below deploy/dev-cluster, when not in the go.mod of all: it would change what others are made of. */
  readonly goModule?: string;
  /** What a control plane lacks without it, where it is not to be had. One that has none of this is never done without. */
  readonly optional?: string;
}

const KUBERNETES_PATTERN = /^Kubernetes v(\S+)/m;

function kubernetes(name: ProgramName): ProgramInfo {
  return {
    name,
    version: KUBERNETES_VERSION,
    accepts: 'minor',
    versionArgs: ['--version'],
    versionPattern: KUBERNETES_PATTERN,
    goPackage: `k8s.io/kubernetes/cmd/${name}`,
  };
}

export const PROGRAMS: readonly ProgramInfo[] = [
  {
    name: 'etcd',
    version: ETCD_VERSION,
    accepts: 'minor',
    versionArgs: ['--version'],
    versionPattern: /^etcd Version: (\S+)/m,
    goPackage: 'go.etcd.io/etcd/server/v3',
  },
  kubernetes('kube-apiserver'),
  kubernetes('kube-controller-manager'),
  kubernetes('kube-scheduler'),
  {
    name: 'kwok',
    version: KWOK_VERSION,
    accepts: 'minor',
    versionArgs: ['--version'],
    versionPattern: /^kwok version v(\S+)/m,
    goPackage: 'sigs.k8s.io/kwok/cmd/kwok',
  },
  {
    // Tests compare what kubectl prints, and machines often carry a foreign one: only the pinned version will do.
    ...kubernetes('kubectl'),
    accepts: 'exact',
    versionArgs: ['version', '--client'],
    versionPattern: /^Client Version: v(\S+)/m,
  },
  {
    name: 'dev-kubelet',
    version: DEV_KUBELET_VERSION,
    accepts: 'exact',
    versionArgs: ['--version'],
    versionPattern: /^dev-kubelet v(\S+)/m,
    goPackage: './kubelet',
    optional: 'no logs, exec, port-forward',
  },
  {
    name: 'metrics-server',
    version: METRICS_SERVER_VERSION,
    accepts: 'minor',
    versionArgs: ['--version'],
    versionPattern: /^v(\d\S*)/,
    goPackage: 'sigs.k8s.io/metrics-server/cmd/metrics-server',
    goModule: 'metrics-server',
    optional: 'no metrics.k8s.io',
  },
];

/** True when a program that says it has version `found` may stand in for the pinned one. */
export function acceptsVersion(program: ProgramInfo, found: string): boolean {
  if (found === program.version) return true;
  if (program.accepts === 'exact') return false;
  const [major, minor] = program.version.split('.');
  return found.startsWith(`${major}.${minor}.`) && /^\d+\.\d+\.\d+$/.test(found);
}

/** The machine in Go's words, which are also those of the release files: `linux-amd64`. */
export function platform(): { readonly os: string; readonly arch: string } {
  return { os: process.platform, arch: process.arch === 'x64' ? 'amd64' : process.arch };
}

/** Where programs that were downloaded or built stay: `~/.cache/kubeveil/1.36.3-linux-amd64`. */
export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  const base = env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const { os, arch } = platform();
  return join(base, 'kubeveil', `${KUBERNETES_VERSION}-${os}-${arch}`);
}
