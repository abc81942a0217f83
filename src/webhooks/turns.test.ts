import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

const never = new AbortController().signal;

/** A piece of work that goes on until it is told to end. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { end: resolve, run: () => promise };
}

describe('calls of one tenant', () => {
  it('wait for each other when there are many, and never for another tenant’s', async () => {
    const turns = new Turns(1);
    const [first, done] = [work(), [] as string[]];
    const running = turns.run('acme', never, first.run);
    const waiting = turns.run('acme', never, async () => done.push('acme'));
    await turns.run('globex', never, async () => done.push('globex'));
    expect(done).toEqual(['globex']);
    first.end();
    await Promise.all([running, waiting]);
    expect(done).toEqual(['globex', 'acme']);
  });

  it('wait no longer than they may, and leave their place to the next', async () => {
    const turns = new Turns(1);
    const [first, impatient] = [work(), new AbortController()];
    const running = turns.run('acme', never, first.run);
    const given = turns.run('acme', impatient.signal, async () => 'given up');
    const next = turns.run('acme', never, async () => 'next');
    impatient.abort(new Error('too long'));
    await expect(given).rejects.toThrow('too long');
    first.end();
    await running;
    expect(await next).toBe('next');
  });

  it('give their place back when they fail', async () => {
    const turns = new Turns(1);
    const failing = turns.run('acme', never, () => Promise.reject(new Error('failed')));
    await expect(failing).rejects.toThrow('failed');
    expect(await turns.run('acme', never, async () => 'after')).toBe('after');
  });
});
