/**
 * Writes the JSON Schema of policy files, for editors: `policies/policy.schema.json`. Run it after a change of the schema:
 * `node test/tools/policy-schema.ts`. `test/architecture/policy-schema.test.ts` fails while the file says something else.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { policySchema } from '../../src/policy/schema.ts';

export const POLICY_SCHEMA_FILE = fileURLToPath(new URL('../../policies/policy.schema.json', import.meta.url));

/** What a file may say; what code checks besides (kinds, ranges of addresses) is told by `kubeveil policy check`. */
export function policyJsonSchema(): object {
  return {
    title: 'A policy file of kubeveil',
    ...z.toJSONSchema(policySchema, { io: 'input', unrepresentable: 'any' }),
  };
}

export function policyJsonSchemaText(): string {
  return `${JSON.stringify(policyJsonSchema(), null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(POLICY_SCHEMA_FILE, policyJsonSchemaText());
