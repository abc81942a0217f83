/**
 * Works on many things, a few at once.
 * @param make its error ends the work: nothing more is begun
 * @returns what was made of each, in their order
 */
export async function fewAtOnce<Value, Made>(
  values: readonly Value[],
  atOnce: number,
  make: (value: Value) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = new Array(values.length);
  const left = values.entries();
  let failed = false;
  async function work(): Promise<void> {
    for (const [at, value] of left) {
      if (failed) return;
      try {
        made[at] = await make(value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, values.length) }, work));
  return made;
}
