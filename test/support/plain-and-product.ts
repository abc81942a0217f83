/** One request to kube-apiserver and to the product, for tests that want the same answer of both. */
import { inject } from 'vitest';
import { parse } from 'yaml';
import { type RawAnswer, type RawRequest, requestOnce } from './http.ts';

export type Asked = Pick<RawRequest, 'path' | 'method' | 'headers' | 'body'>;
export interface Seen {
  readonly status: number;
  readonly type: unknown;
  readonly said: unknown;
}

/** To kube-apiserver, as its administrator. */
export function direct(asked: Asked): Promise<RawAnswer> {
  const { server, caPem, adminCertPem, adminKeyPem } = inject('controlPlane');
  return requestOnce({ server, caPem, certPem: adminCertPem, keyPem: adminKeyPem, ...asked });
}

/** To the product, as the administrator of acme. */
export function throughProduct(asked: Asked): Promise<RawAnswer> {
  const { server, caPem, acme } = inject('product');
  return requestOnce({ server, caPem, certPem: acme.certPem, keyPem: acme.keyPem, ...asked });
}

/** What must be the same of two answers. */
export function seen({ status, headers, text }: RawAnswer): Seen {
  return { status, type: headers['content-type'], said: status < 400 ? undefined : errorOf(text) };
}

/** Of a Status in JSON or YAML; bytes of any other kind as they are. */
export function errorOf(text: string): unknown {
  try {
    const { reason, message, details, code } = parse(text) as Record<string, unknown>;
    return { reason, message, details, code };
  } catch {
    return text;
  }
}
