/**
 * The authentication stage: a well-formed credential, or 401: a client certificate, a token of an issuer in the
 * authentication file, or a service-account token. A certificate and a token together must be of
 * the same user of the same tenant; the certificate then counts, as kube-apiserver asks it first.
 *
 * The identity leaves with its implicit groups, so that nobody after has to think of them.
 * There is no anonymous access, and a credential of no kind that is known here is no credential.
 */
import { ApiError } from '../errors.ts';
import type { Authenticated, Claim, RequestHead } from '../exchange.ts';
import { withImplicitGroups } from './implicit-groups.ts';

export interface Authenticators {
  clientCertificate(der: Uint8Array): Authenticated;
  /** Of an issuer in the authentication file; undefined for any other. */
  issuerToken(token: string, claim: Claim): Promise<Authenticated | undefined>;
  /** @param audiences upstream, one of which the token must be for; left out: that of requests to its tenant */
  serviceAccountToken(token: string, audiences?: readonly string[]): Promise<Authenticated>;
}

/** How every user is called that a service account's token is of. */
const ACCOUNT = 'system:serviceaccount:';

/** @throws {ApiError} ERR_UNAUTHORIZED; ERR_UNAVAILABLE while credentials cannot be checked */
export async function authenticate(
  head: RequestHead,
  claim: Claim,
  authenticators: Authenticators,
): Promise<Authenticated> {
  const token = bearerToken(head.headers.get('authorization'));
  const byCertificate =
    head.peerCertificate === undefined ? undefined : authenticators.clientCertificate(head.peerCertificate);
  // A token that can only be of somebody else is not worth a question to the host.
  const ofAccounts = byCertificate === undefined || byCertificate.identity.username.startsWith(ACCOUNT);
  const judges = ofAccounts ? authenticators : { ...authenticators, serviceAccountToken: disagreement };
  const byToken = token === undefined ? undefined : await authenticateToken(token, claim, judges);
  if (byCertificate !== undefined && byToken !== undefined && !isSame(byCertificate, byToken)) {
    return await disagreement();
  }
  const authenticated = byCertificate ?? byToken;
  if (authenticated === undefined) {
    throw refused('the request has no credential; use the kubeconfig that you were given', 'no-credential');
  }
  return { ...authenticated, identity: withImplicitGroups(authenticated.identity) };
}

/**
 * By whom the token says it is from: no token is shown to two authenticators.
 * @param audiences of a service account's token, upstream; left out: that of requests
 */
export async function authenticateToken(
  token: string,
  claim: Claim,
  { issuerToken, serviceAccountToken }: Pick<Authenticators, 'issuerToken' | 'serviceAccountToken'>,
  audiences?: readonly string[],
): Promise<Authenticated> {
  return (await issuerToken(token, claim)) ?? (await serviceAccountToken(token, audiences));
}

/** The token of an Authorization header; undefined when there is no header. Anything but one Bearer token is refused. */
function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const match = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header);
  if (match === null) throw refused('the Authorization header is not a bearer token', 'authorization-malformed');
  return match[1];
}

async function disagreement(): Promise<never> {
  throw refused('the request has two credentials that disagree; send one', 'two-credentials');
}

function isSame(a: Authenticated, b: Authenticated): boolean {
  return a.tenantUid === b.tenantUid && a.identity.username === b.identity.username;
}

function refused(message: string, why: string): ApiError {
  return new ApiError('ERR_UNAUTHORIZED', `Unauthorized: ${message}`, { why });
}
