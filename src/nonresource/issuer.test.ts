import { beforeEach, describe, expect, it } from 'vitest';
import { NonResourceHost } from '../../test/support/nonresource-host.ts';
import type { JsonObject } from '../k8s/types.ts';

const DOCUMENT = '/.well-known/openid-configuration';
const KEYS = '/openid/v1/jwks';
const RSA = { use: 'sig', kty: 'RSA', kid: 'k-1', alg: 'RS256', n: 'AQ', e: 'AQAB' };
const EC = { use: 'sig', kty: 'EC', kid: 'k-2', crv: 'P-256', alg: 'ES256', x: 'AQ', y: 'Ag' };

let host: NonResourceHost;

beforeEach(() => {
  host = new NonResourceHost();
  host.answers.set(DOCUMENT, {
    status: 200,
    headers: { 'cache-control': 'public, max-age=3600' },
    body: {
      issuer: 'https://kubernetes.default.svc',
      jwks_uri: 'https://10.0.0.7:6443/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      token_endpoint: 'https://10.0.0.7:6443/token',
    },
  });
  host.answers.set(KEYS, { status: 200, body: { keys: [{ ...RSA, d: 'private', x5u: 'https://10.0.0.7' }, EC] } });
});

async function asked(
  target: string,
  accept?: string,
): Promise<{ type: string | undefined; document: JsonObject; maxAge: unknown }> {
  const reply = await host.ask(target, accept === undefined ? {} : { headers: { accept } });
  if (reply.kind !== 'bytes' || reply.status !== 200) throw new Error(`${target} was answered with ${reply.kind}`);
  const document = JSON.parse(Buffer.from(reply.bytes).toString()) as JsonObject;
  return { type: reply.contentType, document, maxAge: reply.headers?.['cache-control'] };
}

describe('the issuer of tokens', () => {
  it('is the host, whose keys are found at the proxy', async () => {
    expect(await asked(DOCUMENT)).toEqual({
      type: 'application/json',
      maxAge: 'public, max-age=3600',
      document: {
        issuer: 'https://kubernetes.default.svc',
        jwks_uri: 'https://proxy.example.com/openid/v1/jwks',
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      },
    });
  });

  it('has its keys below the path of the tenant for who asked there', async () => {
    const { document } = await asked(`/tenants/acme${DOCUMENT}`);
    expect(document['jwks_uri']).toBe('https://proxy.example.com/tenants/acme/openid/v1/jwks');
  });

  it('shows nothing of its keys but what is public', async () => {
    expect(await asked(KEYS)).toEqual({
      type: 'application/jwk-set+json',
      maxAge: undefined,
      document: { keys: [RSA, EC] },
    });
  });

  it.each([
    [DOCUMENT, 'application/json, */*'],
    [DOCUMENT, 'application/json;q=0.5'],
    [KEYS, 'application/jwk-set+json'],
    [KEYS, 'application/json, */*'],
  ])('answers %s to %s', async (path, accept) => {
    await expect(asked(path, accept)).resolves.toBeDefined();
  });

  it.each([
    [DOCUMENT, 'application/jwk-set+json', 'application/json'],
    [KEYS, 'application/json', 'application/jwk-set+json'],
    [KEYS, 'nonsense', 'application/jwk-set+json'],
  ])('answers %s to no %s', async (path, accept, offered) => {
    await expect(asked(path, accept)).rejects.toMatchObject({
      code: 'ERR_NOT_ACCEPTABLE',
      message: `406: Not Acceptable\n\nAvailable representations: ${offered}`,
    });
  });

  it.each([DOCUMENT, KEYS])('is not told while the host does not tell it: %s', async (path) => {
    host.answers.set(path, { status: 403, body: { message: 'a host secret' } });
    await expect(host.ask(path)).rejects.toMatchObject({
      code: 'ERR_UNAVAILABLE',
      message: expect.not.stringContaining('secret'),
    });
    await expect(host.ask(path, { method: 'HEAD' })).rejects.toMatchObject({ code: 'ERR_METHOD_NOT_ALLOWED' });
  });
});
