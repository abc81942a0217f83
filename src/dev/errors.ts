/**
 * Faults of the dev and test control plane. They are read by a person at a terminal, so every message says what
 * happened, where, and what to do next.
 */

export type DevErrorCode =
  | 'PROGRAMS_NOT_FOUND'
  | 'DOWNLOAD_FAILED'
  | 'CHECKSUM_MISMATCH'
  | 'BUILD_FAILED'
  | 'PORT_TAKEN'
  | 'FOLDER_IN_USE'
  | 'PROGRAM_FAILED'
  | 'TIMED_OUT';

/** A fault with a code to branch on; the message is for people. */
export class DevError extends Error {
  override readonly name = 'DevError';
  readonly code: DevErrorCode;

  constructor(code: DevErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
