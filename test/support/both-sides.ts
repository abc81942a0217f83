/**
 * The two that are compared: kube-apiserver as its administrator sees it, and the product as a tenant does. The same is
 * done to both, and what they answer must be the same.
 */
import { expect } from 'vitest';
import type { KubeObject } from './as-tenant.ts';
import type { ControlPlaneFacts } from './control-plane.ts';
import { jsonOf, type RawAnswer, type RawRequest, requestOnce } from './http.ts';
import { type OpenWatch, openWatch } from './open-watch.ts';
import type { ProductFacts } from './product.ts';

interface Access {
  readonly server: string;
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

export class Side {
  readonly isPlain: boolean;
  /** Revisions that it gave to what was done, in order. */
  readonly revisions: string[] = [];
  readonly #access: Access;

  constructor(isPlain: boolean, access: Access) {
    this.isPlain = isPlain;
    this.#access = access;
  }

  /** Any status is an answer. */
  async ask(path: string, options: Partial<RawRequest> = {}): Promise<RawAnswer> {
    return await requestOnce({ ...this.#access, path, ...options });
  }

  /** @throws unless it is done */
  async send(method: string, path: string, body?: unknown): Promise<KubeObject> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { 'content-type': type };
    const answer = await this.ask(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const object = jsonOf<KubeObject>(answer);
    expect({ path, object, status: answer.status }).toMatchObject({
      status: expect.toSatisfy((code: number) => code < 300),
    });
    return object;
  }

  /** The same, and its revision is noted. */
  async did(method: string, path: string, body?: unknown): Promise<KubeObject> {
    const object = await this.send(method, path, body);
    this.revisions.push(object.metadata.resourceVersion ?? 'deleted');
    return object;
  }

  async watch(path: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenWatch> {
    return await openWatch({ ...this.#access, path, headers });
  }
}

export function bothSides(
  { server, caPem, adminCertPem, adminKeyPem }: ControlPlaneFacts,
  product: ProductFacts,
): { readonly plain: Side; readonly product: Side } {
  const { certPem, keyPem } = product.acme;
  return {
    plain: new Side(true, { server, caPem, certPem: adminCertPem, keyPem: adminKeyPem }),
    product: new Side(false, { server: product.server, caPem: product.caPem, certPem, keyPem }),
  };
}
