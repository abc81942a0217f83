/** `cronjobs.batch` -> group `batch`; `pods` is of the core group. */
export function splitResource(text: string): { group: string; resource: string } {
  const dot = text.indexOf('.');
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}
