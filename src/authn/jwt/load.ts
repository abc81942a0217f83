/**
 * Reads the authentication file, and follows it: a version that is not valid changes nothing, the last good one goes on
 * and the operator is told. By looking at what it says, for in a container it is replaced by way of links.
 */
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { InvalidExpression } from '../../cel/compile.ts';
import { createIssuers, type Issuers } from './authenticator.ts';
import { authenticationSchema } from './schema.ts';

const LOOK_EVERY_MS = 2_000;

/** The file is wrong. The message has a line for each problem. */
class AuthenticationFileError extends Error {
  constructor(path: string, problems: readonly string[]) {
    super(`${path} is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'AuthenticationFileError';
  }
}

/** @throws {AuthenticationFileError} */
export function parseAuthentication(text: string, path: string, nowMs: () => number): Issuers {
  const document = parseDocument(text, { uniqueKeys: true, stringKeys: true });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0)
    throw new AuthenticationFileError(
      path,
      faults.map(({ message }) => message),
    );
  const result = authenticationSchema.safeParse(document.toJS({ maxAliasCount: 10 }));
  if (!result.success) {
    const problems = result.error.issues.map(({ path: at, message }) => `${at.map(String).join('.')}: ${message}`);
    throw new AuthenticationFileError(path, problems);
  }
  try {
    return createIssuers(result.data.jwt, nowMs);
  } catch (error) {
    if (error instanceof InvalidExpression) throw new AuthenticationFileError(path, [error.message]);
    throw error;
  }
}

export interface AuthenticationFile extends Disposable {
  /** Of the last version that was valid. */
  issuers(): Issuers;
}

export interface FollowOptions {
  readonly nowMs: () => number;
  readonly onReload: () => void;
  /** A version that is not taken. */
  readonly onInvalid: (error: unknown) => void;
  readonly everyMs?: number;
}

/** @throws {AuthenticationFileError} when the file is not valid at the start */
export function followAuthentication(path: string, options: FollowOptions): AuthenticationFile {
  const { nowMs, onReload, onInvalid, everyMs = LOOK_EVERY_MS } = options;
  let text = read(path);
  let issuers = parseAuthentication(text, path, nowMs);
  const timer = setInterval(() => {
    try {
      const now = read(path);
      if (now === text) return;
      // Also when it is not valid: it is told once.
      text = now;
      issuers = parseAuthentication(now, path, nowMs);
      onReload();
    } catch (error) {
      onInvalid(error);
    }
  }, everyMs);
  timer.unref();
  return {
    issuers: () => issuers,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new AuthenticationFileError(path, [`it cannot be read (${(cause as NodeJS.ErrnoException).code ?? cause})`]);
  }
}
