import { describe, expect, it } from 'vitest';
import type { Call } from './call.ts';
import { checkWriteOptions } from './write-options.ts';

function check(verb: string, query: Record<string, string>, contentType = 'application/json'): void {
  const body = { contentType, document: {} };
  checkWriteOptions({ info: { verb, query: new Map(Object.entries(query)) }, body } as unknown as Call);
}

const APPLY = 'application/apply-patch+yaml';

describe('the options of a write', () => {
  it.each<[verb: string, query: Record<string, string>, type?: string]>([
    ['create', {}],
    ['create', { dryRun: 'All', fieldValidation: 'Warn', fieldManager: '' }],
    ['update', { dryRun: '', fieldValidation: '' }],
    ['patch', { fieldManager: 'me' }, APPLY],
    ['delete', { dryRun: 'Some' }],
  ])('are taken: %s %o', (verb, query, type) => {
    expect(() => check(verb, query, type)).not.toThrow();
  });

  it.each<[verb: string, query: Record<string, string>, kind: string, why: string]>([
    ['create', { dryRun: 'Some' }, 'CreateOptions', 'dryRun: Unsupported value: ["Some"]: supported values: "All"'],
    [
      'update',
      { fieldValidation: 'Odd' },
      'UpdateOptions',
      'fieldValidation: Unsupported value: "Odd": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    ['patch', {}, 'PatchOptions', 'fieldManager: Required value: is required for apply patch'],
  ])('are refused: %s %o', (verb, query, kind, why) => {
    const message = `${kind}.meta.k8s.io "" is invalid: ${why}`;
    const refusal = expect.objectContaining({ code: 'ERR_INVALID', message });
    expect(() => check(verb, query, verb === 'patch' ? APPLY : undefined)).toThrow(refusal);
  });
});
