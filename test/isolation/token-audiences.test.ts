/**
 * Tokens of service accounts for others than the API: known to TokenReview in the tenant's words, worth nothing at the
 * API, and nothing to any other tenant; and the issuer by whose keys they can be checked.
 */
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { child, text } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { type TenantClient, useProduct } from '../support/as-tenant.ts';
import { jsonOf, requestOnce } from '../support/http.ts';

const { acme, globex } = useProduct();
const TOKENS = '/api/v1/namespaces/default/serviceaccounts/default/token';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';

async function tokenFor(
  tenant: TenantClient,
  audiences: readonly string[],
): Promise<{ token: string; asked: unknown }> {
  const answer = await tenant.write('POST', TOKENS, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [...audiences], expirationSeconds: 600 },
  });
  expect(answer.status).toBe(201);
  const made = answer.object as JsonObject;
  return { token: text(child(made, 'status'), 'token'), asked: child(made, 'spec')['audiences'] };
}

/** The status of a review; the whole answer repeats the token, which says whose it is. */
async function reviewed(tenant: TenantClient, token: string, audiences?: readonly string[]): Promise<JsonObject> {
  const { server, caPem } = inject('product');
  const { certPem, keyPem } = tenant.facts;
  const spec = { token, ...(audiences === undefined ? {} : { audiences: [...audiences] }) };
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec });
  const answer = await requestOnce({ server, caPem, certPem, keyPem, method: 'POST', path: REVIEWS, body });
  return child(jsonOf<JsonObject>(answer), 'status');
}

/** What the proxy answers to this token alone. */
async function asBearer(token: string, path: string) {
  const { server, caPem } = inject('product');
  return await requestOnce({ server, caPem, path, headers: { authorization: `Bearer ${token}` } });
}

let forVault: string;
let forApi: string;
beforeAll(async () => {
  const vault = await tokenFor(acme, ['vault', 'https://mesh.example.com']);
  expect(vault.asked).toEqual(['vault', 'https://mesh.example.com']);
  forVault = vault.token;
  forApi = (await tokenFor(acme, ['https://kubernetes.default.svc.cluster.local'])).token;
});

describe('a token for others', () => {
  it('is for audiences below the tenant’s own', () => {
    const audiences = [decodeJwt(forVault).aud ?? []].flat();
    const [own] = [decodeJwt(forApi).aud ?? []].flat();
    expect(own).toMatch(/^kubeveil\.dev\/[0-9a-f-]{36}$/);
    expect(audiences).toEqual([`${own}/vault`, `${own}/https://mesh.example.com`]);
  });

  it('is known by the audience that it was asked for, and no other', async () => {
    const username = 'system:serviceaccount:default:default';
    expect(await reviewed(acme, forVault, ['other', 'vault'])).toMatchObject({
      authenticated: true,
      audiences: ['vault'],
      user: { username },
    });
    for (const audiences of [undefined, ['other'], ['api']]) {
      expect(await reviewed(acme, forVault, audiences)).toEqual({ user: {}, error: 'invalid bearer token' });
    }
    expect(await reviewed(acme, forApi)).toMatchObject({ authenticated: true, user: { username } });
    expect(await reviewed(acme, forApi, ['vault'])).toMatchObject({ error: 'invalid bearer token' });
  });

  it('is nothing to another tenant, whatever that asks for', async () => {
    const [own] = [decodeJwt(forApi).aud ?? []].flat();
    for (const audiences of [undefined, ['vault'], [`${own}/vault`], [String(own)]]) {
      for (const token of [forVault, forApi]) {
        expect(await reviewed(globex, token, audiences)).toEqual({ user: {}, error: 'invalid bearer token' });
      }
    }
  });

  it('opens no API', async () => {
    expect(await asBearer(forVault, '/api')).toMatchObject({ status: 401 });
    expect(await asBearer(forApi, '/api')).toMatchObject({ status: 200 });
  });
});

describe('the issuer of tokens', () => {
  it('has the keys by which a token is checked, with its audience', async () => {
    const about = jsonOf<JsonObject>(await asBearer(forApi, '/.well-known/openid-configuration'));
    const keys = jsonOf<JSONWebKeySet & JsonObject>(await asBearer(forApi, new URL(text(about, 'jwks_uri')).pathname));
    const find = createLocalJWKSet(keys);
    const issuer = text(about, 'issuer');
    const [audience = ''] = [decodeJwt(forVault).aud ?? []].flat();
    await expect(jwtVerify(forVault, find, { issuer, audience })).resolves.toBeDefined();
    await expect(jwtVerify(forVault, find, { issuer, audience: 'vault' })).rejects.toThrow(/"aud"/);
  });

  it('is the same for all tenants, and names none of them', async () => {
    for (const path of ['/.well-known/openid-configuration', '/openid/v1/jwks']) {
      const [own, others] = await Promise.all([acme.send(path), globex.send(path)]);
      expect(own.status).toBe(200);
      expect(own.text.replaceAll('/tenants/acme/', '/')).toBe(others.text.replaceAll('/tenants/globex/', '/'));
      expect(Object.keys(jsonOf<JsonObject>(own)).sort()).toEqual(
        path.endsWith('jwks')
          ? ['keys']
          : [
              'id_token_signing_alg_values_supported',
              'issuer',
              'jwks_uri',
              'response_types_supported',
              'subject_types_supported',
            ],
      );
    }
  });
});
