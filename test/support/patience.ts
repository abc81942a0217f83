/**
 * Before each test file: waiting for something has a limit for faults only. Vitest's own of one second is a matter of how
 * fast the machine is.
 */
import { vi } from 'vitest';

const FAULT_MS = 25_000;
const { waitFor } = vi;

vi.waitFor = (callback, options = {}) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: FAULT_MS, ...options });
