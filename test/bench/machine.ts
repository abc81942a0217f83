/** The machine that figures were made on, in words that tell nothing else of it. */
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { KUBERNETES_VERSION } from '../../src/dev/versions.ts';
import type { Machine } from './figures.ts';

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release().replace(/[^\d.].*$/, '')} ${arch()}`,
    node: process.versions.node,
    kubernetes: KUBERNETES_VERSION,
  };
}

export function loadNow(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}
