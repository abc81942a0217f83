/** What commands print: tables for people, JSON and YAML for programs. */
import { stringify } from 'yaml';
import { humanDuration } from '../lib/human-duration.ts';

export type Format = 'table' | 'json' | 'yaml';

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Columns as wide as their widest cell, three spaces apart, as kubectl prints them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('   ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}

export function structured(format: 'json' | 'yaml', value: unknown): string {
  return format === 'json' ? JSON.stringify(value, null, 2) : stringify(value, { lineWidth: 0 });
}

/** How long ago, as kubectl prints it: `4m`, `7h12m`, `2d`. @param since RFC 3339 */
export function age(since: string, nowMs = Date.now()): string {
  return humanDuration(nowMs - Date.parse(since));
}
