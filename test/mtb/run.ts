/**
 * `npm run mtb`: the benchmarks of multi-tenancy, as a table. Exits with 0 only when each of them holds. The last line is
 * `N of M`.
 */
import { table } from '../../src/cli/output.ts';
import { WRITTEN } from './benchmarks.ts';
import { startMtbLab } from './lab.ts';
import { UNWRITTEN } from './unwritten.ts';

const rows: string[][] = [];
{
  await using lab = await startMtbLab((line) => void process.stderr.write(`${line}\n`));
  for (const { id, title, run } of [...WRITTEN, ...UNWRITTEN]) {
    const fault = await run(lab).catch((error: unknown) => `could not be run: ${String(error)}`);
    rows.push([id, title, fault === undefined ? 'holds' : 'FAILS', fault ?? '']);
  }
}
const held = rows.filter(([, , verdict]) => verdict === 'holds').length;
console.log(table(['BENCHMARK', 'WHAT', '', ''], rows));
console.log(`${held} of ${rows.length}`);
process.exit(held === rows.length && rows.length > 0 ? 0 : 1);
