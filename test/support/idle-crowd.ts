/** Connections without end, held by a process of its own (`idle-crowd-process.ts`): their memory and work is not the test's. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('idle-crowd-process.ts', import.meta.url));

export interface IdleCrowd extends AsyncDisposable {
  /** How many are open now; the other side may have ended some. */
  open(): Promise<number>;
}

export interface IdleCrowdOptions {
  readonly port: number;
  readonly connections: number;
  /** From so many addresses of this machine. */
  readonly addresses: number;
}

/** Resolves when each of them has been opened. */
export async function startIdleCrowd({ port, connections, addresses }: IdleCrowdOptions): Promise<IdleCrowd> {
  const child = fork(PROGRAM, [port, connections, addresses].map(String), { stdio: 'inherit' });
  const ended = once(child, 'exit');
  const next = async (): Promise<number> => {
    const [said] = await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error('it ended'))),
    ]);
    return said as number;
  };
  await next();
  return {
    open() {
      const answer = next();
      child.send('how many?');
      return answer;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
