/** The page about kinds is what the table says now. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KINDS_PAGE, kindsPage } from '../tools/kinds-doc.ts';

describe('docs/kinds.md', () => {
  it('is up to date (else run test/tools/kinds-doc.ts)', () => {
    expect(readFileSync(KINDS_PAGE, 'utf8')).toBe(kindsPage());
  });
  it('says of every kind what it is and why', () => {
    const lines = kindsPage().split('\n');
    expect(lines).toContain(
      '| core | nodes | cluster | trusted: published; baseline: published; restricted: absent | status (read) | the host’s machines, which schedulers and tools want to see; `restricted` hides them |',
    );
    expect(lines.some((line) => line.startsWith('| pods/binding | all | '))).toBe(true);
  });
});
