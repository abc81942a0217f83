import { mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openLines } from './lines-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubeveil-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));
const noFault = (why: string) => expect.fail(why);

describe('a file of lines', () => {
  it('is added to, and opened anew after it was moved away', async () => {
    const path = join(folder, 'audit.log');
    const before = openLines({ path, onFault: noFault });
    before.write('zero');
    await before.flush();
    const lines = openLines({ path, onFault: noFault });
    lines.write('one');
    await lines.flush();
    renameSync(path, `${path}.1`);
    lines.write('two');
    await lines.flush();
    lines.reopen();
    await vi.waitFor(() => statSync(path));
    lines.write('three');
    await lines.flush();
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('zero\none\ntwo\n');
    expect(readFileSync(path, 'utf8')).toBe('three\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that cannot be opened is told at once', () => {
    expect(() => openLines({ path: join(folder, 'none', 'audit.log'), onFault: noFault })).toThrow('ENOENT');
  });

  it('that takes nothing loses what is too much, and counts it', async () => {
    const faults: [string, number][] = [];
    const { promise: told, resolve } = Promise.withResolvers<void>();
    const lines = openLines({
      path: '/dev/full',
      onFault: (why, lost) => {
        faults.push([why, lost]);
        if (lost > 0) resolve();
      },
    });
    const megabyte = 'x'.repeat(1024 * 1024);
    for (let at = 0; at < 20; at += 1) lines.write(megabyte);
    await told;
    expect(faults.some(([why, lost]) => why === 'too much waits to be written' && lost === 1)).toBe(true);
  });
});
