/**
 * The few statistics that the figures are made of. Medians and percentiles rather than means: one pause of the machine
 * must not move a figure.
 */

/** @throws {RangeError} when there are no values */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/**
 * Interpolates between the two nearest values, as most tools do.
 * @param percent 0 (the least) to 100 (the greatest)
 * @throws {RangeError} when there are no values, or `percent` is out of range
 */
export function percentile(values: readonly number[], percent: number): number {
  if (!(percent >= 0 && percent <= 100)) throw new RangeError(`percentile ${percent} is not between 0 and 100`);
  const sorted = Float64Array.from(values).sort();
  const place = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new RangeError('no values to take a percentile of');
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * What one more of `xs` adds to `ys`: the median of the slopes between all pairs (Theil and Sen), which a few wild
 * points do not move.
 * @throws {RangeError} when there are fewer than two different `xs`
 */
export function slope(points: ReadonlyArray<readonly [x: number, y: number]>): number {
  const slopes: number[] = [];
  for (const [index, [x, y]] of points.entries()) {
    for (const [laterX, laterY] of points.slice(index + 1)) {
      if (laterX !== x) slopes.push((laterY - y) / (laterX - x));
    }
  }
  if (slopes.length === 0) throw new RangeError('a slope needs points at two different places');
  return median(slopes);
}
