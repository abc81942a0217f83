/** The list of tests: one full name a line, as the suite spells it; `#` begins a comment. */

/** @throws {Error} when it names no test, or one twice: either would make a run say more than it did */
export function readList(text: string): string[] {
  const names = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (names.length === 0) throw new Error('the list names no test');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`the list names a test twice: ${twice}`);
  return names;
}

/** A regular expression of Go (RE2) that fits these names and no longer ones. Ginkgo puts words before a name. */
export function focusOf(names: readonly string[]): string {
  return `(?:${names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})$`;
}
