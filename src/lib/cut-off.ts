/** Ending an answer before it is whole. */
import { constants } from 'node:http2';

/** An answer of either protocol, as far as it is cut off. */
export interface CutOff {
  destroy(error?: Error): unknown;
  /** Of an answer by HTTP/2. */
  readonly stream?: { close(code: number): void };
}

/**
 * Ends an answer so that its client knows that something is missing. On HTTP/2 `destroy` alone closes the stream without
 * an error, and clients take the half for the whole.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9113#section-8.1
 */
export function cutOff(response: CutOff): void {
  response.stream?.close(constants.NGHTTP2_INTERNAL_ERROR);
  response.destroy();
}
