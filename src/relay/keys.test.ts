import { describe, expect, it } from 'vitest';
import { createRelayKeys, doorOf } from './keys.ts';

const TOKEN = 'a'.repeat(43);
const OTHER = 'b'.repeat(43);

function world(tokens: string[]) {
  const state = { tokens, reads: 0, nowMs: 0 };
  const keys = createRelayKeys({
    read: async () => {
      state.reads += 1;
      return state.tokens;
    },
    nowMs: () => state.nowMs,
  });
  return { state, keys };
}

describe('the host', () => {
  it('is who shows one of the tokens, and asks by the word that is made of it', async () => {
    const { keys } = world([TOKEN, OTHER]);
    expect([await keys.holds(TOKEN), await keys.holds(OTHER)]).toEqual([true, true]);
    expect([
      await keys.opens(doorOf(TOKEN, 'relay'), 'relay'),
      await keys.opens(doorOf(OTHER, 'relay'), 'relay'),
    ]).toEqual([true, true]);
  });

  it('is nobody who shows another, the word for the token, or nothing', async () => {
    const { keys } = world([TOKEN]);
    for (const shown of ['', OTHER, TOKEN.slice(1), `${TOKEN}a`, doorOf(TOKEN, 'relay')]) {
      expect(await keys.holds(shown)).toBe(false);
    }
    for (const door of ['', TOKEN, doorOf(OTHER, 'relay'), doorOf(TOKEN, 'mutations')])
      expect(await keys.opens(door, 'relay')).toBe(false);
  });

  it('is nobody where nothing is set up, or an empty token', async () => {
    const none = world([]);
    expect([await none.keys.holds(TOKEN), await none.keys.opens(doorOf(TOKEN, 'relay'), 'relay')]).toEqual([
      false,
      false,
    ]);
    const empty = world(['']);
    expect([await empty.keys.holds(''), await empty.keys.opens(doorOf('', 'relay'), 'relay')]).toEqual([false, false]);
  });

  it('is known by a new token at once, and by one that was taken away for half a minute', async () => {
    const { keys, state } = world([TOKEN]);
    expect(await keys.holds(TOKEN)).toBe(true);
    state.tokens = [OTHER];
    state.nowMs = 1_000;
    expect(await keys.holds(OTHER)).toBe(true);
    expect(await keys.holds(TOKEN)).toBe(false);
    state.tokens = [];
    state.nowMs = 30_999;
    expect(await keys.holds(OTHER)).toBe(true);
    state.nowMs = 31_000;
    expect(await keys.holds(OTHER)).toBe(false);
  });

  it('is asked for its tokens once in a second, however many are tried', async () => {
    const { keys, state } = world([TOKEN]);
    await Promise.all(Array.from({ length: 100 }, (_, at) => keys.opens(`${at}`, 'relay')));
    for (let at = 0; at < 100; at += 1) await keys.holds(`${at}`);
    expect(state.reads).toBe(1);
  });

  it('is nobody while it cannot be asked, and known when it can', async () => {
    let isDown = true;
    const keys = createRelayKeys({
      read: async () => {
        if (isDown) throw new Error('down');
        return [TOKEN];
      },
      nowMs: () => 0,
    });
    await expect(keys.holds(TOKEN)).rejects.toThrow('down');
    isDown = false;
    expect(await keys.holds(TOKEN)).toBe(true);
  });
});
