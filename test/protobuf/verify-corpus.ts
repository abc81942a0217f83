/**
 * Prints how much of a corpus the codec decodes to Go's JSON and encodes to Go's bytes; exits 1 when anything differs.
 *
 * `node test/protobuf/verify-corpus.ts <corpus.bin.gz>`; test/protobuf/generator writes the file.
 */
import { decodeFault, encodeFault, readCorpus } from './corpus.ts';

const MAX_SHOWN = 10;

const file = process.argv[2];
if (file === undefined) {
  process.stderr.write('usage: node test/protobuf/verify-corpus.ts <corpus.bin.gz>\n');
  process.exitCode = 1;
} else {
  verify(file);
}

function verify(path: string): void {
  const samples = readCorpus(path);
  const kinds = new Set(samples.map((sample) => JSON.stringify(sample.gvk)));
  const decoding = samples.map(decodeFault).filter((fault) => fault !== undefined);
  const encoding = samples.map(encodeFault).filter((fault) => fault !== undefined);
  const faults = [...decoding, ...encoding];
  process.stdout.write(
    `${samples.length} samples of ${kinds.size} kinds\n` +
      `decoded equal to Go's JSON: ${samples.length - decoding.length}\n` +
      `encoded equal to Go's bytes: ${samples.length - encoding.length}\n` +
      faults
        .slice(0, MAX_SHOWN)
        .map((fault) => `${fault}\n`)
        .join(''),
  );
  if (samples.length === 0 || faults.length > 0) {
    process.exitCode = 1;
  }
}
