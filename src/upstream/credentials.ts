/**
 * Which credential a request goes upstream with.
 *
 * The process holds one base credential, which may do nothing but ask for short-lived tokens of three service accounts
 * in `kubeveil-system`; every request then runs as the account that its identity names. So a fault in one path meets
 * the limits of that path's account.
 */
import { readObject } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { child } from '../k8s/read.ts';
import type { UpstreamIdentity, UpstreamRequest, UpstreamResponse } from '../ports.ts';
import { ACCOUNTS, PROXY_NAMESPACE, PROXY_NAMESPACE_PATH } from '../tenancy/host-names.ts';

export interface Credentials {
  /** Value of the Authorization header; undefined where the TLS client certificate is the credential. */
  authorization(identity: UpstreamIdentity): Promise<string | undefined>;
  readonly tls?: { cert: string; key: string };
}

const TOKEN_SECONDS = 3_600;

export interface AccountTokensOptions {
  /** Sends as the base credential; `identity` is ignored. */
  base: (request: Omit<UpstreamRequest, 'identity'>) => Promise<UpstreamResponse>;
  nowMs?: () => number;
}

interface Token {
  value: string;
  renewAtMs: number;
  expiresAtMs: number;
}

/** Tokens of the three accounts, asked for when first needed and renewed when a quarter of their life is left. */
export function accountTokens(options: AccountTokensOptions): Credentials {
  const nowMs = options.nowMs ?? Date.now;
  const tokens = new Map<string, Token>();
  const asking = new Map<string, Promise<Token>>();

  async function ask(account: string): Promise<Token> {
    const answer = await options.base({
      method: 'POST',
      path: `${PROXY_NAMESPACE_PATH}/serviceaccounts/${account}/token`,
      contentType: 'application/json',
      body: JSON.stringify({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: TOKEN_SECONDS },
      }),
    });
    const { token, expirationTimestamp } = child(readObject(answer.body), 'status');
    if (answer.status !== 201 || typeof token !== 'string' || typeof expirationTimestamp !== 'string') {
      throw new ApiError('ERR_UNAVAILABLE', 'the proxy has no access to the cluster at the moment; try again', {
        why: 'no-account-token',
        cause: new Error(
          `token of service account ${PROXY_NAMESPACE}/${account} refused with ${answer.status}; is deploy/ applied to the host?`,
        ),
      });
    }
    const expiresAtMs = Date.parse(expirationTimestamp);
    return { value: token, expiresAtMs, renewAtMs: nowMs() + (expiresAtMs - nowMs()) * 0.75 };
  }

  function renew(account: string): Promise<Token> {
    let pending = asking.get(account);
    if (pending === undefined) {
      pending = ask(account)
        .then((token) => {
          tokens.set(account, token);
          return token;
        })
        .finally(() => asking.delete(account));
      asking.set(account, pending);
    }
    return pending;
  }

  return {
    async authorization(identity) {
      const account = ACCOUNTS[identity.as];
      const held = tokens.get(account);
      if (held !== undefined && nowMs() < held.renewAtMs) return `Bearer ${held.value}`;
      // A token that still holds serves while a new one is asked for, and when asking fails.
      if (held !== undefined && nowMs() < held.expiresAtMs) {
        renew(account).catch(() => {});
        return `Bearer ${held.value}`;
      }
      return `Bearer ${(await renew(account)).value}`;
    },
  };
}
