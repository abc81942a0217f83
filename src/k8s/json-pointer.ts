/**
 * JSON pointers: `/metadata/labels/a~1b` <-> `['metadata', 'labels', 'a/b']`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901
 */

/** Undefined when the text is no pointer: it must be empty or begin with `/`. */
export function parsePointer(text: string): string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/')) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function formatPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
