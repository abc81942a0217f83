/** Shows that the proxy still runs: the very process that was started, answering, without a fault of its own in its log. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { requestOnce } from './http.ts';
import type { ProductFacts } from './product.ts';

/** Written for a fault of ours, which no input may provoke; a refusal is never logged so. */
const FAULT = /"level":(?:50|60|"error"|"fatal")|UnhandledPromiseRejection|uncaughtException/;

export async function expectAlive({ server, caPem, pid, logPath }: ProductFacts): Promise<void> {
  expect(() => process.kill(pid, 0), 'the proxy has ended').not.toThrow();
  const { status, text } = await requestOnce({ server, caPem, path: '/readyz' });
  expect({ status, text }).toEqual({ status: 200, text: 'ok' });
  expect(faultsIn(readFileSync(logPath, 'utf8'))).toEqual([]);
}

/** A host whose walls do not act yet, as right after `kubectl apply`, is waited for: that is told, and no fault. */
const NOT_READY = '"msg":"not ready"';

export function faultsIn(log: string): string[] {
  return log.split('\n').filter((line) => FAULT.test(line) && !line.includes(NOT_READY));
}
