/**
 * Loaded into the proxy's process before the proxy itself (`node --import`): answers questions that only the process can
 * answer, over a Unix socket in the benchmark's own folder. Adds nothing to the path of a request.
 */
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Holds the path of the socket. */
export const PROBE_VARIABLE = 'KUBEVEIL_BENCH_PROBE';

export interface Memory {
  /** After garbage collection. */
  readonly heapBytes: number;
  /** Of buffers and the like, which V8 knows of but does not hold. */
  readonly externalBytes: number;
  readonly rssBytes: number;
}

const session = new Session();

/**
 * `--expose-gc` gives `gc`; its last resort also gives pages back, as V8 does by itself when a process is idle for long.
 * Several times, because finalizers free more.
 */
async function memory(): Promise<Memory> {
  for (let round = 0; round < 3; round++) {
    await globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
    await sleep(20);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, externalBytes: external, rssBytes: rss };
}

async function startProfile(): Promise<object> {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 500 });
  await session.post('Profiler.start');
  return {};
}

async function stopProfile(): Promise<object> {
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return profile;
}

/** How long the event loop was busy between two timers that fire as often as they can: no turn took longer. */
export interface LoopDelay {
  readonly maxMs: number;
}

let longestUs = 0;
let looking: NodeJS.Timeout | undefined;

async function startLoopDelay(): Promise<object> {
  // The collection of garbage that came before is none of it.
  await sleep(50);
  longestUs = 0;
  let before = busyUs();
  looking = setInterval(() => {
    const now = busyUs();
    longestUs = Math.max(longestUs, now - before);
    before = now;
  }, 1);
  return {};
}

/** Of the main thread alone, and of CPU: other programs that have the core do not count. */
function busyUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

async function stopLoopDelay(): Promise<LoopDelay> {
  await sleep(5);
  clearInterval(looking);
  return { maxMs: longestUs / 1_000 };
}

const ANSWERS = new Map<string | undefined, () => Promise<object>>([
  ['/memory', memory],
  ['/profile/start', startProfile],
  ['/profile/stop', stopProfile],
  ['/loop/start', startLoopDelay],
  ['/loop/stop', stopLoopDelay],
]);

const socket = process.env[PROBE_VARIABLE];
if (socket !== undefined) {
  const server = createServer((request, response) => {
    const answer = ANSWERS.get(request.url);
    if (answer === undefined) return void response.writeHead(404).end();
    answer().then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  // The process ends as it would without us.
  server.listen(socket).unref();
}
