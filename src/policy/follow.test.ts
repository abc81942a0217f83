import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followPolicies } from './follow.ts';

const HEAD = 'apiVersion: kubeveil.dev/v1alpha1\nkind: Policy\n';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeveil-policies-'));
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

function write(text: string, name = 'default'): void {
  writeFileSync(join(folder, `${name}.yaml`), HEAD + text);
}

it('files are read again when they change, and the last good ones go on', () => {
  write('limits: {watches: 7}');
  const onReload = vi.fn();
  const onInvalid = vi.fn();
  const changed = vi.fn();
  using policies = followPolicies(folder, { onReload, onInvalid, everyMs: 10 });
  const stop = policies.subscribe?.(changed);
  const watches = () => policies.of({ policy: 'default' }).limits.watches;
  const look = () => vi.advanceTimersByTime(50);
  look();
  expect([watches(), onReload.mock.calls.length]).toEqual([7, 0]);

  write('limits: {watches: 8}');
  write('reservedTenantIds: [one-id]', 'more');
  look();
  expect([watches(), onReload.mock.calls.length, changed.mock.calls.length]).toEqual([8, 1, 1]);
  expect([...policies.names].sort()).toEqual(['default', 'more']);
  expect([...policies.reservedTenantIds]).toEqual(['one-id']);

  write('limits: {watches: none}');
  look();
  expect(watches()).toBe(8);
  expect(onInvalid).toHaveBeenCalledOnce();
  expect(String(onInvalid.mock.calls[0]?.[0])).toContain('default.yaml:3:19: limits.watches: expected number');

  rmSync(folder, { recursive: true });
  look();
  expect(watches()).toBe(8);
  expect(onInvalid).toHaveBeenCalledTimes(2);
  expect(changed).toHaveBeenCalledOnce();
  stop?.();
});

it('files that are not valid at the start are not followed', () => {
  write('limits: none');
  expect(() => followPolicies(folder, { onReload: vi.fn(), onInvalid: vi.fn() })).toThrow('not valid');
});
