import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { policiesFolder } from './policies.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeveil-policies-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('policiesFolder', () => {
  it('is the one of the package where there is no other', () => {
    const found = policiesFolder(undefined, folder);
    expect(found.startsWith(folder)).toBe(false);
    expect(existsSync(join(found, 'default.yaml'))).toBe(true);
  });

  it('is ./policies where that is', () => {
    mkdirSync(join(folder, 'policies'));
    expect(policiesFolder(undefined, folder)).toBe(join(folder, 'policies'));
  });

  it('is the one that was given, whether or not it is there', () => {
    expect(policiesFolder('other', folder)).toBe(join(folder, 'other'));
  });
});
