/**
 * Loopback ports for programs that cannot be told "any free port". Free ones are looked for below 32768: the kernel
 * gives the ports from there on to outgoing connections, which could take a chosen port before its program binds it.
 */

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { DevError } from './errors.ts';

const LOWEST = 20_000;
const HIGHEST = 32_000;
const ATTEMPTS = 200;

/**
 * The given port if it can be bound, or a free one.
 * @param option name of the option that sets the port, for the message
 * @throws {DevError} PORT_TAKEN: the given port is in use, or no free one was found
 */
export async function choosePort(wanted: number | undefined, option: string): Promise<number> {
  if (wanted !== undefined && wanted !== 0) {
    if (await canBind(wanted)) return wanted;
    throw new DevError(
      'PORT_TAKEN',
      `Port ${wanted} on 127.0.0.1 is already in use. Stop the program that holds it, or set ${option} to another port (0 or none: any free port).`,
    );
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (!handedOut.has(port) && (await canBind(port))) {
      handedOut.add(port);
      return port;
    }
  }
  throw new DevError('PORT_TAKEN', `No free port on 127.0.0.1 between ${LOWEST} and ${HIGHEST}; set ${option}.`);
}

/** Ports this process has already promised to a program that may not have bound it yet. */
const handedOut = new Set<number>();

/** True when nothing listens on this loopback port and we may. */
export function canBind(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
