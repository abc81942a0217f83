/** The manifests that follow from the table of kinds are what the table says now. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { DEPLOY, generatedManifests } from '../tools/manifests.ts';

describe('generated manifests', () => {
  it.each([...generatedManifests()])('deploy/%s is up to date (else run test/tools/manifests.ts)', (name, text) => {
    expect(readFileSync(`${DEPLOY}${name}`, 'utf8')).toBe(text);
  });
  it('give nobody a wildcard, but for what an adapter measures in a tenant’s own namespaces', () => {
    const roles = [...generatedManifests()]
      .filter(([name]) => name.includes('-rbac-'))
      .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS()))
      .filter(({ kind }) => kind === 'ClusterRole');
    expect(roles.length).toBeGreaterThan(0);
    const wild = roles.flatMap(({ metadata, rules }) =>
      rules
        .filter((rule: Record<string, string[]>) => Object.values(rule).flat().includes('*'))
        .map((rule: object) => ({ role: metadata.name, ...rule })),
    );
    const resources = { apiGroups: ['custom.metrics.k8s.io'], resources: ['*'] };
    expect(wild).toEqual([
      { role: 'kubeveil:guard', ...resources, verbs: ['get'] },
      { role: 'kubeveil:impersonation-verbs', ...resources, verbs: ['impersonate-on:user-info:get'] },
    ]);
  });
});
