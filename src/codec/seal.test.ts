import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSealer } from './seal.ts';

describe('sealed texts', () => {
  const key = randomBytes(32);

  it('open to what was sealed', async () => {
    const sealer = createSealer([key]);
    const text = await sealer.seal({ revision: '42', namespace: 'web' });
    expect(await sealer.open(text)).toEqual({ revision: '42', namespace: 'web' });
  });

  it('tell nothing of what is in them', async () => {
    const text = await createSealer([key]).seal({ namespace: 'acme--secret' });
    const decoded = text.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect(decoded.join('')).not.toContain('acme');
  });

  it('open after the key has been rotated, while the old one is kept', async () => {
    const text = await createSealer([key]).seal({ a: 1 });
    expect(await createSealer([randomBytes(32), key]).open(text)).toEqual({ a: 1 });
    expect(await createSealer([randomBytes(32)]).open(text)).toBeUndefined();
  });

  it('do not open when altered, cut, foreign or huge', async () => {
    const sealer = createSealer([key]);
    const text = await sealer.seal({ a: 1 });
    const at = text.length - 10;
    const altered = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
    expect(altered).not.toBe(text);
    for (const bad of [altered, text.slice(0, -3), '', 'abc', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ', 'a'.repeat(10_000)]) {
      expect(await sealer.open(bad)).toBeUndefined();
    }
  });

  it('need keys of the right size', () => {
    expect(() => createSealer([randomBytes(16)])).toThrow(TypeError);
    expect(() => createSealer([])).toThrow(TypeError);
    expect(() => createSealer([key])).not.toThrow();
  });
});
