/** What commands print: tables for people, JSON and YAML for programs. */
import { stringify } from 'yaml';

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

/** `4m`, `3h`, `2d` */
export function age(since: string, nowMs = Date.now()): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
