/** Texts counted and cut by code points, as CEL does; JavaScript counts in units of which some characters take two. */

const WIDE = /[\ud800-\udfff]/;

export function codePoints(text: string): number {
  return WIDE.test(text) ? [...text].length : text.length;
}

/** What can be indexed and sliced by code points. */
export function byCodePoint(text: string): string | string[] {
  return WIDE.test(text) ? [...text] : text;
}

/** The part of a text between two places. */
export function slicePoints(text: string, from: number, to?: number): string {
  const points = byCodePoint(text);
  return typeof points === 'string' ? points.slice(from, to) : points.slice(from, to).join('');
}
