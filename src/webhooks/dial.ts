/**
 * A TLS connection to a webhook, over a stream into a pod or over TCP, and what is said when there is none, as Go says it.
 * The certificate must be for the name that was asked for, and of the bundle that the tenant gave, or of a public CA
 * where there is no bundle.
 */
import { isIP, connect as tcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, type TLSSocket, connect as tls } from 'node:tls';
import { WebhookFailure } from './webhook-failure.ts';

const CONNECT_MS = 10_000;

export interface DialOptions {
  /** For which the certificate must be. */
  readonly host: string;
  /** PEM; undefined: public CAs. */
  readonly ca: string | undefined;
  /** The stream below. */
  readonly open: (signal: AbortSignal) => Promise<Duplex> | Duplex;
}

/** @throws {WebhookFailure} */
export async function dial({ host, ca, open }: DialOptions): Promise<TLSSocket> {
  const signal = AbortSignal.timeout(CONNECT_MS);
  const below = await open(signal);
  const options: ConnectionOptions = {
    socket: below,
    ALPNProtocols: ['http/1.1'],
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  let socket: TLSSocket | undefined;
  const stop = (): void => reject(new WebhookFailure('net/http: TLS handshake timeout'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    socket = tls(options);
    socket.once('secureConnect', () => resolve(socket as TLSSocket));
    // Later ones are heard by whoever holds the connection; an error that nobody hears would end the process.
    socket.on('error', (error) => reject(failureOf(error, host)));
    socket.once('close', () => reject(new WebhookFailure('EOF')));
    below.once('error', (error) => reject(failureOf(error, host)));
    return await promise;
  } catch (error) {
    socket?.destroy();
    below.destroy();
    throw error instanceof WebhookFailure ? error : failureOf(error, host);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A plain connection to an address that the operator allows. */
export function openTcp(host: string, port: number): Duplex {
  return tcp({ host, port });
}

const UNKNOWN_AUTHORITY = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]);

/** Nothing of the host's own words is passed on: they may speak of nodes and addresses. */
export function failureOf(error: unknown, host: string): WebhookFailure {
  if (error instanceof WebhookFailure) return error;
  const { code, message = '' } = error as { code?: string; message?: string };
  const refused = (why: string) => new WebhookFailure(why, { cause: error });
  const unverified = (why: string) => refused(`tls: failed to verify certificate: x509: ${why}`);
  if (code === undefined) return refused(message === 'connection refused' ? 'connect: connection refused' : 'EOF');
  if (UNKNOWN_AUTHORITY.has(code)) return unverified('certificate signed by unknown authority');
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return unverified('certificate has expired or is not yet valid');
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return unverified(`certificate is not valid for ${host}`);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return refused(`dial tcp: lookup ${host}: no such host`);
  if (code === 'ECONNREFUSED') return refused('connect: connection refused');
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return refused('EOF');
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return refused('tls: the webhook does not speak TLS');
  return refused('the connection to the webhook failed');
}
