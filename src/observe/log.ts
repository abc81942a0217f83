/**
 * The one log of the process: JSON lines on stderr, one named logger for each part. Secrets never get here: what is
 * logged is chosen field by field, and the paths below are blanked should one slip in. Text from outside is escaped by
 * JSON, so that it cannot forge a line, and cut by {@link logged}.
 *
 * The level is `info` until `setLogLevel`; a logger made before that follows it too.
 */
import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** What the parts of the program use of pino: `log.warn({ cause }, 'what happened')`. */
export type Logger = Pick<PinoLogger, 'error' | 'warn' | 'info' | 'debug' | 'isLevelEnabled'>;

const SECRET_FIELDS = ['authorization', 'token', 'password', 'key', 'headers.authorization', 'headers.cookie'];

/** Lines go out together: a write for each was a sixth of what a small request costs. The end of the process loses none. */
const BUFFER_BYTES = 8 * 1024;
const FLUSH_MS = 100;

const root = createLog(destination({ fd: 2, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS }));
const subsystems = new Map<string, PinoLogger>();

/** A log that goes elsewhere than to stderr. */
export function createLog(to: DestinationStream): PinoLogger {
  return pino(
    {
      level: 'info',
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_FIELDS, censor: '(hidden)' },
      serializers: { err: (error) => describeError(error), cause: (error) => describeError(error) },
    },
    to,
  );
}

/** The logger of one part, such as `listen`; the same one each time. */
export function logger(subsystem: string): Logger {
  let found = subsystems.get(subsystem);
  if (found === undefined) {
    found = root.child({ in: subsystem });
    subsystems.set(subsystem, found);
  }
  return found;
}

export function setLogLevel(level: LogLevel): void {
  root.level = level;
  for (const each of subsystems.values()) each.level = level;
}

/** Writes out what is buffered: before the process ends. */
export function flushLog(): Promise<void> {
  return new Promise((resolve) => root.flush(() => resolve()));
}

/** Chosen fields only: Node's parser errors, for one, carry the raw bytes of the request, tokens included. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return logged(String(error));
  const { code, cause } = error as Error & { code?: unknown };
  return {
    type: error.name,
    message: logged(error.message, 1024),
    ...(typeof code === 'string' ? { code } : {}),
    stack: logged(error.stack, 4096),
    ...(cause === undefined || depth > 3 ? {} : { cause: describeError(cause, depth + 1) }),
  };
}

/** Text from outside, cut to what a log line may hold. */
export function logged(text: string | undefined, characters = 256): string | undefined {
  return text !== undefined && text.length > characters ? `${text.slice(0, characters)}...` : text;
}
