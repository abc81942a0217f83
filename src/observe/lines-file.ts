/**
 * A file of lines that is only ever added to, or stdout. Lines wait in memory for each other and for a disk that is slow,
 * up to a bound; what is beyond it is dropped and counted, for no request waits for a disk. A file that was moved away by
 * a program that rotates logs is opened anew by `reopen`.
 */
import { closeSync, openSync } from 'node:fs';
import { destination } from 'pino';

export interface LinesFile {
  /** @param line without the newline */
  write(line: string): void;
  /** Nothing for stdout. */
  reopen(): void;
  /** Resolves when everything is written, or cannot be. */
  flush(): Promise<void>;
}

export interface LinesFileOptions {
  /** `-` for stdout. */
  readonly path: string;
  /** Lines were lost, or the file cannot be written. */
  readonly onFault: (why: string, lost: number) => void;
}

const BUFFER_BYTES = 8 * 1024;
const FLUSH_MS = 100;
const WAITING_BYTES = 16 * 1024 * 1024;
/** Who may read the file: what is in it is nobody else's business. */
const MODE = 0o600;

/** @throws {Error} when the file cannot be opened */
export function openLines({ path, onFault }: LinesFileOptions): LinesFile {
  const isFile = path !== '-';
  // What follows opens it in its own time: a wrong path is to be told at the start.
  if (isFile) closeSync(openSync(path, 'a', MODE));
  const to = destination({
    dest: isFile ? path : 1,
    mode: MODE,
    append: true,
    sync: false,
    minLength: BUFFER_BYTES,
    periodicFlush: FLUSH_MS,
    maxLength: WAITING_BYTES,
  });
  let lost = 0;
  to.on('drop', () => {
    lost += 1;
    if (lost === 1) onFault('too much waits to be written', lost);
  });
  to.on('error', (error: Error) => onFault(error.message, lost));
  to.on('drain', () => {
    if (lost > 0) onFault('written again', lost);
    lost = 0;
  });
  return {
    write: (line) => void to.write(`${line}\n`),
    reopen: () => {
      if (isFile) to.reopen();
    },
    flush: () => new Promise((resolve) => to.flush(() => resolve())),
  };
}
