import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  acceptsVersion,
  DEV_KUBELET_VERSION,
  defaultCacheDir,
  ETCD_VERSION,
  KUBERNETES_VERSION,
  KWOK_VERSION,
  METRICS_SERVER_VERSION,
  PROGRAMS,
  type ProgramInfo,
  type ProgramName,
} from './versions.ts';

const goMod = readFileSync(new URL('../../deploy/dev-cluster/go.mod', import.meta.url), 'utf8');
const tools = readFileSync(new URL('../../deploy/dev-cluster/tools.go', import.meta.url), 'utf8');

const kubelet = readFileSync(new URL('../../deploy/dev-cluster/kubelet/main.go', import.meta.url), 'utf8');

function program(name: ProgramName): ProgramInfo {
  const found = PROGRAMS.find((candidate) => candidate.name === name);
  if (found === undefined) throw new TypeError(`no program ${name}`);
  return found;
}

describe('the pinned versions', () => {
  it.each([
    { module: 'k8s.io/kubernetes', version: KUBERNETES_VERSION },
    { module: 'go.etcd.io/etcd/server/v3', version: ETCD_VERSION },
    { module: 'sigs.k8s.io/kwok', version: KWOK_VERSION },
  ])('are those of go.mod: $module', ({ module, version }) => {
    expect(goMod).toContain(`\t${module} v${version}\n`);
  });

  it('pin metrics-server in a module of its own', () => {
    const { goModule, goPackage } = program('metrics-server');
    const read = (file: string) =>
      readFileSync(new URL(`../../deploy/dev-cluster/${goModule}/${file}`, import.meta.url), 'utf8');
    expect(read('go.mod')).toContain(`sigs.k8s.io/metrics-server v${METRICS_SERVER_VERSION}\n`);
    expect(read('tools.go')).toContain(`_ "${goPackage}"`);
  });

  it('put every replaced staging module at the version of Kubernetes', () => {
    const versions = [...goMod.matchAll(/^replace \S+ => \S+ (\S+)$/gm)].map((match) => match[1]);
    expect(versions.length).toBeGreaterThan(30);
    expect(new Set(versions)).toEqual(new Set([`v0.${KUBERNETES_VERSION.split('.').slice(1).join('.')}`]));
  });

  it('name every program in tools.go', () => {
    for (const { goPackage, optional } of PROGRAMS) if (!optional) expect(tools).toContain(`_ "${goPackage}"`);
  });

  it('name our own kubelet at the version that it tells', () => {
    expect(kubelet).toContain(`const version = "${DEV_KUBELET_VERSION}"`);
    expect(program('dev-kubelet').goPackage).toBe('./kubelet');
  });
});

describe('acceptsVersion', () => {
  it.each([
    { name: 'kube-apiserver', found: '1.36.3', accepted: true },
    { name: 'kube-apiserver', found: '1.36.9', accepted: true },
    { name: 'kube-apiserver', found: '1.35.3', accepted: false },
    { name: 'kube-apiserver', found: '1.360.3', accepted: false },
    { name: 'kube-apiserver', found: '1.36.3-dispatcher', accepted: false },
    { name: 'kubectl', found: '1.36.3', accepted: true },
    { name: 'kubectl', found: '1.36.2', accepted: false },
  ] as const)('$name $found: $accepted', ({ name, found, accepted }) => {
    expect(acceptsVersion(program(name), found)).toBe(accepted);
  });
});

describe('versionPattern', () => {
  it.each([
    { name: 'etcd', output: 'etcd Version: 3.6.13\nGit SHA: none\n', version: '3.6.13' },
    { name: 'kube-apiserver', output: 'Kubernetes v1.36.3\n', version: '1.36.3' },
    { name: 'kwok', output: 'kwok version v0.8.0 go1.26.8 (linux/amd64)\n', version: '0.8.0' },
    { name: 'kubectl', output: 'Client Version: v1.36.3\nKustomize Version: v5.8.1\n', version: '1.36.3' },
    { name: 'etcd', output: 'Kubernetes v1.36.3\n', version: undefined },
    { name: 'metrics-server', output: 'v0.9.0\n', version: '0.9.0' },
  ] as const)('$name: $version', ({ name, output, version }) => {
    expect(program(name).versionPattern.exec(output)?.[1]).toBe(version);
  });
});

describe('defaultCacheDir', () => {
  it('lies under XDG_CACHE_HOME when that is set', () => {
    expect(defaultCacheDir({ XDG_CACHE_HOME: '/caches' })).toMatch(/^\/caches\/kubeveil\/1\.36\.3-\w+-\w+$/);
    expect(defaultCacheDir({})).toMatch(/\/\.cache\/kubeveil\/1\.36\.3-\w+-\w+$/);
  });
});
