/** Comparisons as text that says what to look at. */
import { DIFFERENCES, type Difference } from './differences.ts';
import { type Differing, differing } from './differing.ts';
import type { Compared } from './scenario.ts';

const SHOWN_CHARS = 300;

/** What differs and is not meant to; which of the differences that are meant to be were met. */
export function judge(all: readonly Compared[], met: Set<Difference>): string[] {
  return all.flatMap((compared) => {
    const left = differing(compared).filter((one) => {
      const excuse = DIFFERENCES.find((difference) => difference.excuses(one, compared));
      if (excuse !== undefined) met.add(excuse);
      return excuse === undefined;
    });
    return left.length === 0 ? [] : [text(compared, left)];
  });
}

function text({ title, ask, theirs, ours }: Compared, places: readonly Differing[]): string {
  const { method = 'GET', path, headers, body } = ask;
  const asked = `${method} ${path} ${headers === undefined ? '' : shown(headers)} ${body === undefined ? '' : shown(String(body))}`;
  const lines = places.slice(0, 5).map((one) => `    ${one.at}: ${shown(one.theirs)} but ${shown(one.ours)}`);
  return [`${title}: ${asked.trim()} (${theirs.status}, ${ours.status})`, ...lines].join('\n');
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN_CHARS);
}
