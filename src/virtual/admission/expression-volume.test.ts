import { expect, it } from 'vitest';
import { ADMISSION_KINDS } from './kinds.ts';

const policies = ADMISSION_KINDS.find(({ resource }) => resource === 'validatingadmissionpolicies');

function problemsWith(validations: { expression: string }[]): string[] {
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
    validations,
  };
  const problems = policies?.problems({ metadata: { name: 'x' }, spec }, undefined, '') ?? [];
  return problems.map(({ field, message }) => `${field}: ${message}`);
}

it('bounds what is to be compiled of one object', () => {
  const long = `${'true || '.repeat(1_100)}true`;
  expect(problemsWith(Array.from({ length: 8 }, () => ({ expression: long })))).toEqual([
    'expressions of the object: Too long: may not be more than 65536 bytes',
  ]);
  expect(problemsWith(Array.from({ length: 1_001 }, () => ({ expression: 'true' })))).toEqual([
    'expressions of the object: Too many: 1001: must have at most 1000 items',
  ]);
});

it('lets what is honest be', () => {
  const long = `${'true || '.repeat(1_000)}true`;
  expect(problemsWith([{ expression: long }, ...Array.from({ length: 100 }, () => ({ expression: 'true' }))])).toEqual(
    [],
  );
});
