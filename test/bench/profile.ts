/** Takes a CPU profile of the proxy and says where the time went: by part of the program, and by function. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Lab } from './lab.ts';
import type { Bench } from './scenario.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FUNCTIONS_SHOWN = 40;
/** As probe.ts asks for it. A longer gap is time in which other programs had the core. */
const SAMPLE_US = 500;
const LONGEST_GAP_US = 2 * SAMPLE_US;

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Does nothing where no profiles are asked for. @param act sends so many requests to the proxy */
export async function takeProfile(
  lab: Lab,
  bench: Bench,
  name: string,
  requests: number,
  act: () => Promise<void>,
): Promise<void> {
  if (bench.profileFolder === undefined) return;
  await lab.proxy.startProfile();
  await act();
  const text = await lab.proxy.stopProfile();
  const file = join(bench.profileFolder, `${name.replaceAll(/[^\w.]+/g, '-').toLowerCase()}.cpuprofile`);
  writeFileSync(file, text);
  bench.progress(`${name}: profile of ${requests} requests in ${file}\n${summarizeProfile(text, requests)}`);
}

/** Microseconds of the proxy's main thread per request, by part and by function. Idle time and the profiler's own are left out. */
function summarizeProfile(text: string, requests: number): string {
  const { nodes, samples, timeDeltas } = JSON.parse(text) as Profile;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<string, number>();
  const functions = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const frame = byId.get(id)?.callFrame;
    if (frame === undefined || frame.functionName === '(idle)' || frame.url === 'node:inspector') continue;
    const usPerRequest = Math.min(timeDeltas[index] ?? 0, LONGEST_GAP_US) / requests;
    const place = placeOf(frame.url);
    add(parts, place.part || frame.functionName, usPerRequest);
    add(functions, `${frame.functionName || '(anonymous)'} ${place.file}:${frame.lineNumber + 1}`, usPerRequest);
  }
  return [
    'microseconds per request, by part:',
    ...rows(parts, parts.size),
    'and by function:',
    ...rows(functions, FUNCTIONS_SHOWN),
  ].join('\n');
}

function placeOf(url: string): { part: string; file: string } {
  if (url === '') return { part: '', file: '' };
  if (url.startsWith('node:')) return { part: url.replace(/^(node:internal\/\w+|node:\w+).*$/, '$1'), file: url };
  const file = url.startsWith('file:') ? fileURLToPath(url).replace(ROOT, '') : url;
  const [, part] = /^(src\/[^/]+|node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  return { part: part ?? file, file };
}

function add(sums: Map<string, number>, key: string, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

function rows(sums: ReadonlyMap<string, number>, count: number): string[] {
  const sorted = [...sums].sort(([, a], [, b]) => b - a).slice(0, count);
  return sorted.map(([key, value]) => `${value.toFixed(1).padStart(8)}  ${key}`);
}
