/** The JSON Schema of policy files is what the schema says now, and knows every setting that default.yaml explains. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { POLICY_SCHEMA_FILE, policyJsonSchema, policyJsonSchemaText } from '../tools/policy-schema.ts';

const DEFAULT = readFileSync(new URL('../../policies/default.yaml', import.meta.url), 'utf8');

/** `limits.watches`; maps whose keys are anybody's are left as they are. */
function settings(value: unknown, schema: { properties?: Record<string, object> }, path = ''): string[] {
  if (schema.properties === undefined) return [path];
  const entries = Object.entries(value as Record<string, unknown>);
  return entries.flatMap(([key, below]) =>
    settings(below, (schema.properties?.[key] ?? {}) as { properties?: Record<string, object> }, `${path}.${key}`),
  );
}

function known(schema: { properties?: Record<string, object> }, path = ''): string[] {
  if (schema.properties === undefined) return [path];
  return Object.entries(schema.properties).flatMap(([key, below]) => known(below, `${path}.${key}`));
}

describe('policies/policy.schema.json', () => {
  it('is up to date (else run test/tools/policy-schema.ts)', () => {
    expect(readFileSync(POLICY_SCHEMA_FILE, 'utf8')).toBe(policyJsonSchemaText());
  });
  it('has no setting that default.yaml does not explain', () => {
    const schema = policyJsonSchema();
    expect(settings(parse(DEFAULT), schema).sort()).toEqual(known(schema).sort());
  });
});
