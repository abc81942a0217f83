/** The manifests that follow from the table of kinds are what the table says now. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEPLOY, generatedManifests } from '../tools/manifests.ts';

describe('generated manifests', () => {
  it.each([...generatedManifests()])('deploy/%s is up to date (else run test/tools/manifests.ts)', (name, text) => {
    expect(readFileSync(`${DEPLOY}${name}`, 'utf8')).toBe(text);
  });
  it('give nobody a wildcard', () => {
    const roles = [...generatedManifests()].filter(([name]) => name.includes('-rbac-'));
    expect(roles.length).toBeGreaterThan(0);
    for (const [, text] of roles) expect(text).not.toMatch(/- ["']?\*["']?$/m);
  });
});
