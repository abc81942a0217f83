import { describe, expect, it } from 'vitest';
import { CpuShare } from './cpu-share.ts';

const ACME = 'acme';
const GLOBEX = 'globex';
const never = new AbortController().signal;
const late = (waitMs: number) => new Error(`late by ${waitMs} ms`);

/** Uses CPU until so much of it is used. */
function burn(ms: number): void {
  const started = process.threadCpuUsage();
  for (let used = 0; used < ms * 1000; ) {
    const { user, system } = process.threadCpuUsage(started);
    used = user + system;
  }
}

describe('the share of a tenant', () => {
  it('is used up by its own expressions, and by nobody else’s', async () => {
    // The clock stands, so that nothing is gained.
    const share = new CpuShare({ burstMs: 5, msPerSecond: 1, nowMs: () => 0, late });
    await share.run(ACME, never, () => burn(10));
    const ending = new AbortController();
    const waiting = share.run(ACME, ending.signal, () => 'ran');
    expect(await share.run(GLOBEX, never, () => 'ran')).toBe('ran');
    ending.abort();
    await expect(waiting).rejects.toThrow(/^late by \d+ ms$/);
  });

  it('comes back with time', async () => {
    let now = 0;
    const share = new CpuShare({ burstMs: 5, msPerSecond: 1_000, nowMs: () => now, late });
    await share.run(ACME, never, () => burn(20));
    now += 60_000;
    expect(await share.run(ACME, never, () => 'ran')).toBe('ran');
  });

  it('is counted also when the work fails', async () => {
    const share = new CpuShare({ burstMs: 5, msPerSecond: 1, nowMs: () => 0, late });
    const failing = share.run(ACME, never, () => {
      burn(10);
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    const ending = new AbortController();
    const waiting = share.run(ACME, ending.signal, () => 'ran');
    ending.abort();
    await expect(waiting).rejects.toThrow(/^late by \d+ ms$/);
  });

  it('lets others have their turn between two runs', async () => {
    const share = new CpuShare({ burstMs: 200, msPerSecond: 100, late });
    const order: string[] = [];
    const other = new Promise<void>((resolve) => {
      setImmediate(() => {
        order.push('other');
        resolve();
      });
    });
    const both = (async () => {
      await share.run(ACME, never, () => order.push('first'));
      await share.run(ACME, never, () => order.push('second'));
    })();
    await Promise.all([other, both]);
    expect(order.indexOf('other')).toBeLessThan(order.indexOf('second'));
  });
});
