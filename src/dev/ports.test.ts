import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canBind, choosePort } from './ports.ts';

let holder: Server;
let taken: number;

beforeEach(async () => {
  holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  taken = (holder.address() as { port: number }).port;
});

afterEach(() => {
  holder.close();
});

describe('choosePort', () => {
  it('refuses a taken port by its number and option, and takes it once it is free', async () => {
    await expect(choosePort(taken, 'ports.apiserver')).rejects.toMatchObject({
      code: 'PORT_TAKEN',
      message: expect.stringMatching(new RegExp(`Port ${taken} on 127\\.0\\.0\\.1 .*ports\\.apiserver`)),
    });
    holder.close();
    await once(holder, 'close');
    expect(await choosePort(taken, 'ports.apiserver')).toBe(taken);
  });

  it.each([undefined, 0])('finds a free port for %s, below those of outgoing connections', async (wanted) => {
    const port = await choosePort(wanted, 'ports.etcd');
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(32_768);
    expect(await canBind(port)).toBe(true);
  });

  it('never hands out the same free port twice', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => choosePort(undefined, 'ports.etcd')));
    expect(new Set(ports).size).toBe(ports.length);
  });
});
