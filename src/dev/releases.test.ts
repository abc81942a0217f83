import { describe, expect, it } from 'vitest';
import { OFFICIAL_BASES, type Release, releaseOf } from './releases.ts';
import { PROGRAMS, type ProgramName } from './versions.ts';

const SUM = 'a'.repeat(63);
const LINUX = { os: 'linux', arch: 'amd64' };

function release(name: ProgramName): Release {
  const program = PROGRAMS.find((candidate) => candidate.name === name);
  const found = program && releaseOf(program, OFFICIAL_BASES, LINUX);
  if (found === undefined) throw new TypeError(`no release of ${name}`);
  return found;
}

describe('releaseOf', () => {
  it.each([
    {
      name: 'kubectl',
      url: 'https://dl.k8s.io/v1.36.3/bin/linux/amd64/kubectl',
      checksumUrl: 'https://dl.k8s.io/v1.36.3/bin/linux/amd64/kubectl.sha256',
    },
    {
      name: 'etcd',
      url: 'https://github.com/etcd-io/etcd/releases/download/v3.6.13/etcd-v3.6.13-linux-amd64.tar.gz',
      checksumUrl: 'https://github.com/etcd-io/etcd/releases/download/v3.6.13/SHA256SUMS',
    },
    {
      name: 'kwok',
      url: 'https://github.com/kubernetes-sigs/kwok/releases/download/v0.8.0/kwok-linux-amd64',
      checksumUrl: 'https://api.github.com/repos/kubernetes-sigs/kwok/releases/tags/v0.8.0',
    },
  ] as const)('$name lies at $url', ({ name, url, checksumUrl }) => {
    expect(release(name)).toMatchObject({ url, checksumUrl });
  });

  it('knows that the servers are released for Linux only', () => {
    for (const program of PROGRAMS) {
      expect(releaseOf(program, OFFICIAL_BASES, { os: 'darwin', arch: 'arm64' })).toBeUndefined();
      if (program.optional) continue;
      expect(releaseOf(program, OFFICIAL_BASES, { os: 'linux', arch: 'arm64' })).toBeDefined();
    }
  });

  it('knows what is only ever built', () => {
    const own = PROGRAMS.filter(({ optional }) => optional);
    expect(own.map((program) => releaseOf(program, OFFICIAL_BASES, { os: 'linux', arch: 'amd64' }))).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('parseChecksum', () => {
  const asset = (digest: unknown) =>
    JSON.stringify({ assets: [{ name: 'other' }, { name: 'kwok-linux-amd64', digest }] });

  it.each([
    { name: 'kubectl', text: `${SUM}1\n`, sum: `${SUM}1` },
    { name: 'kubectl', text: `${SUM}1  kubectl\n`, sum: `${SUM}1` },
    { name: 'kubectl', text: '<html>moved</html>', sum: undefined },
    { name: 'kubectl', text: SUM, sum: undefined },
    {
      name: 'etcd',
      text: `${SUM}1  etcd-v3.6.13-linux-arm64.tar.gz\n${SUM}2  etcd-v3.6.13-linux-amd64.tar.gz\n`,
      sum: `${SUM}2`,
    },
    { name: 'etcd', text: `${SUM}2 *etcd-v3.6.13-linux-amd64.tar.gz`, sum: `${SUM}2` },
    { name: 'etcd', text: `${SUM}1  etcd-v3.6.13-linux-arm64.tar.gz\n`, sum: undefined },
    { name: 'kwok', text: asset(`sha256:${SUM}3`), sum: `${SUM}3` },
    { name: 'kwok', text: asset(`md5:${SUM}3`), sum: undefined },
    { name: 'kwok', text: asset(null), sum: undefined },
    { name: 'kwok', text: 'null', sum: undefined },
  ] as const)('$name: $sum', ({ name, text, sum }) => {
    expect(release(name).parseChecksum(text)).toBe(sum);
  });
});
