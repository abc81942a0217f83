/** From how many values on a set is quicker than looking at each, and worth its memory. */
const MANY = 8;

/** Whether a text is one of these. */
export function oneOf(values: readonly string[]): (text: string) => boolean {
  if (values.length < MANY) return (text) => values.includes(text);
  const set = new Set(values);
  return (text) => set.has(text);
}
