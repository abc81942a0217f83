/**
 * A real OpenID Connect provider on loopback, and a user who logs in there as `kubectl oidc-login` has them do: by the
 * authorization code flow, with the provider's own pages for login and consent. It can have new keys and be away.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { createAuthority, issueServer } from '../../src/pki/certificates.ts';
import { jsonOf, type RawAnswer, requestOnce } from './http.ts';

const CLIENT = 'kubeveil';
const SECRET = 'secret';
const CALLBACK = 'http://localhost:8000';
const TTL_S = 300;
const FORM = 'application/x-www-form-urlencoded';

export interface RealIssuer extends AsyncDisposable {
  readonly url: string;
  readonly caPem: string;
  /** The audience of its tokens. */
  readonly clientId: string;
  /** Logs in and consents. @returns the ID token */
  login(user: string): Promise<string>;
  /** Signs with a new key from now on; the old one is published as long as it is asked to be. */
  rotate(keepOld: boolean): Promise<void>;
  /** While it is away every connection is refused. */
  setAway(away: boolean): Promise<void>;
}

export async function startRealIssuer(claimsOf: (user: string) => object): Promise<RealIssuer> {
  const authority = await createAuthority([{ CN: ['issuer authority'] }]);
  const subject = { commonName: 'issuer', dnsNames: [], ipAddresses: ['127.0.0.1'] };
  const { certPem, keyPem } = await issueServer(authority, subject);
  let handler: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => handler(request, response));
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const keys = [await newKey()];
  const serve = () => {
    handler = new Provider(url, configuration(keys, claimsOf)).callback();
  };
  serve();

  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return {
    url,
    caPem: authority.certPem,
    clientId: CLIENT,
    login: (user) => logIn({ url, caPem: authority.certPem }, user),
    async rotate(keepOld) {
      // The first that fits is what it signs with.
      keys.unshift(await newKey());
      if (!keepOld) keys.splice(1);
      serve();
    },
    setAway: (away) => (away ? close() : listen(port)),
    [Symbol.asyncDispose]: close,
  };
}

let made = 0;
async function newKey(): Promise<object> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  made += 1;
  return { ...(await exportJWK(privateKey)), kid: `real-${made}`, alg: 'ES256', use: 'sig' };
}

function configuration(keys: readonly object[], claimsOf: (user: string) => object): object {
  return {
    clients: [
      {
        client_id: CLIENT,
        client_secret: SECRET,
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [...keys] },
    cookies: { keys: ['cookies of a test'] },
    claims: { openid: ['sub', 'email', 'groups', 'tenant'] },
    conformIdTokenClaims: false,
    pkce: { required: () => false },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    ttl: {
      IdToken: TTL_S,
      AccessToken: TTL_S,
      Session: TTL_S,
      Interaction: TTL_S,
      Grant: TTL_S,
      AuthorizationCode: 60,
    },
    findAccount: async (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, ...claimsOf(sub) }),
    }),
  };
}

async function logIn(at: { url: string; caPem: string }, user: string): Promise<string> {
  const cookies = new Map<string, string>();
  async function ask(location: string, form?: Record<string, string>): Promise<RawAnswer> {
    const { pathname, search } = new URL(location, at.url);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await requestOnce({
      server: at.url,
      caPem: at.caPem,
      path: `${pathname}${search}`,
      headers: { cookie, ...(form === undefined ? {} : { 'content-type': FORM }) },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form).toString() }),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return answer;
  }

  const query = new URLSearchParams({
    client_id: CLIENT,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: CALLBACK,
    nonce: 'n',
  });
  let answer = await ask(`/auth?${query}`);
  for (let step = 0; step < 10; step += 1) {
    const location = String(answer.headers['location'] ?? '');
    if (location === '') throw new Error(`the provider does not go on: ${answer.status} ${answer.text.slice(0, 500)}`);
    if (location.startsWith(CALLBACK)) return await idToken(at, new URL(location).searchParams.get('code') ?? '');
    const page = location.includes('/interaction/') ? await ask(location) : undefined;
    const prompt = /name="prompt" value="(\w+)"/.exec(page?.text ?? '')?.[1];
    answer = prompt === undefined ? await ask(location) : await ask(location, { prompt, login: user, password: 'any' });
  }
  throw new Error('the provider asks on and on');
}

async function idToken(at: { url: string; caPem: string }, code: string): Promise<string> {
  const answer = await requestOnce({
    server: at.url,
    caPem: at.caPem,
    path: '/token',
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${CLIENT}:${SECRET}`).toString('base64')}`,
      'content-type': FORM,
    },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK }).toString(),
  });
  return String(jsonOf(answer)['id_token']);
}
