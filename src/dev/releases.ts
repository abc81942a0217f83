/**
 * Where the official releases of the programs lie and how each publishes its SHA-256 checksums. The checksum comes
 * from the same publisher over the same TLS: it finds broken and mixed-up downloads, not a publisher who lies.
 * @see https://kubernetes.io/releases/download/
 * @see https://docs.github.com/rest/releases/releases (an asset's `digest`)
 */

import { ETCD_VERSION, KUBERNETES_VERSION, KWOK_VERSION, type ProgramInfo, platform } from './versions.ts';

export interface Release {
  readonly url: string;
  readonly checksumUrl: string;
  /** Finds the SHA-256 (hex) in what `checksumUrl` answers. */
  readonly parseChecksum: (text: string) => string | undefined;
  /** When the download is a .tar.gz: the program's path in it. */
  readonly tarPath?: string;
}

/** Base addresses, so that tests can point them at a server of their own. */
export interface ReleaseBases {
  readonly kubernetes: string;
  readonly github: string;
  readonly githubApi: string;
}

export const OFFICIAL_BASES: ReleaseBases = {
  kubernetes: 'https://dl.k8s.io',
  github: 'https://github.com',
  githubApi: 'https://api.github.com',
};

/** @returns undefined when nobody publishes this program for this machine (the servers: for Linux only; our own: never) */
export function releaseOf(program: ProgramInfo, bases: ReleaseBases, machine = platform()): Release | undefined {
  const { os, arch } = machine;
  if (os !== 'linux') return undefined;
  switch (program.name) {
    case 'dev-kubelet':
    case 'metrics-server':
      return undefined;
    case 'etcd': {
      const stem = `etcd-v${ETCD_VERSION}-${os}-${arch}`;
      const folder = `${bases.github}/etcd-io/etcd/releases/download/v${ETCD_VERSION}`;
      return {
        url: `${folder}/${stem}.tar.gz`,
        checksumUrl: `${folder}/SHA256SUMS`,
        parseChecksum: (text) => checksumOfFile(text, `${stem}.tar.gz`),
        tarPath: `${stem}/etcd`,
      };
    }
    case 'kwok': {
      const asset = `kwok-${os}-${arch}`;
      const repository = 'kubernetes-sigs/kwok';
      return {
        url: `${bases.github}/${repository}/releases/download/v${KWOK_VERSION}/${asset}`,
        // kwok publishes no checksum file; GitHub's own record of the asset has one.
        checksumUrl: `${bases.githubApi}/repos/${repository}/releases/tags/v${KWOK_VERSION}`,
        parseChecksum: (text) => digestOfAsset(text, asset),
      };
    }
    default: {
      const url = `${bases.kubernetes}/v${KUBERNETES_VERSION}/bin/${os}/${arch}/${program.name}`;
      return { url, checksumUrl: `${url}.sha256`, parseChecksum: (text) => hex(text.trim().split(/\s/)[0]) };
    }
  }
}

/** The line `<hex>  <file>` of a SHA256SUMS file. */
function checksumOfFile(text: string, file: string): string | undefined {
  for (const line of text.split('\n')) {
    const [sum, name] = line.trim().split(/\s+\*?/);
    if (name === file) return hex(sum);
  }
  return undefined;
}

function digestOfAsset(text: string, asset: string): string | undefined {
  const release = JSON.parse(text) as { assets?: { name?: unknown; digest?: unknown }[] } | null;
  const digest = release?.assets?.find(({ name }) => name === asset)?.digest;
  return typeof digest === 'string' && digest.startsWith('sha256:') ? hex(digest.slice('sha256:'.length)) : undefined;
}

function hex(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined;
}
