/**
 * What it costs to know who somebody is and what they may do: the parts of the proxy by themselves, called as a request
 * calls them, on one core. Roles, bindings and users are made up, in the sizes of a large tenant.
 */
import { X509Certificate } from 'node:crypto';
import { clientCertAuthenticator } from '../../../src/authn/client-cert.ts';
import { withImplicitGroups } from '../../../src/authn/implicit-groups.ts';
import { jwtAuthenticator } from '../../../src/authn/jwt/authenticator.ts';
import { parseAuthentication } from '../../../src/authn/jwt/load.ts';
import type { Identity } from '../../../src/exchange.ts';
import type { Attributes } from '../../../src/k8s/rbac.ts';
import { createAuthority, issueClient } from '../../../src/pki/certificates.ts';
import type { TenantId } from '../../../src/tenancy/names.ts';
import type { Tenant } from '../../../src/tenancy/tenant.ts';
import { startIssuer } from '../../support/test-issuer.ts';
import type { Figure } from '../figures.ts';
import { BINDINGS, largeTenant, NAMESPACES, ROLES } from '../large-tenant.ts';
import { refusedCredentials } from '../refused-credentials.ts';
import type { Bench, PartScenario } from '../scenario.ts';
import { median } from '../statistics.ts';

/** 500,000 decisions a second. */
const GOAL_US = 2;
const FEW = 3;
const MANY = 300;

async function runAlone(bench: Bench): Promise<Figure[]> {
  return [...decisions(bench), ...(await authentications(bench))];
}

function decisions(bench: Bench): Figure[] {
  const { rbac, tenant } = largeTenant();
  const rounds = bench.quick ? 1 : 7;
  const asked = questions();
  const size = `${ROLES} roles and ${BINDINGS} bindings in ${NAMESPACES} namespaces; ${asked.length} different questions in turn, of which some are allowed; median of ${rounds} rounds`;
  return [FEW, MANY].flatMap((groups) => {
    const who = userOf(groups);
    bench.progress(`decisions for a user of ${groups} groups`);
    const known = () => repeat(bench, (at) => rbac.decide(tenant, who, asked[at % asked.length] as Attributes));
    const fresh = () => repeat(bench, (at) => rbac.decide(tenant, { ...who }, asked[at % asked.length] as Attributes));
    return [
      figure(`decision, user of ${groups} groups`, times(rounds, known), size, GOAL_US),
      figure(`decision, user of ${groups} groups, never met before`, times(rounds, fresh), size),
    ];
  });
}

async function authentications(bench: Bench): Promise<Figure[]> {
  bench.progress('authentication');
  const rounds = bench.quick ? 1 : 7;
  const id = 'acme' as TenantId;
  const authority = await createAuthority([{ CN: ['kubeveil tenant acme'] }, { OU: ['u'] }]);
  const clientCaPem = authority.certPem;
  const acme: Tenant = { id, uid: 'u', createdAt: '', phase: 'Active', clientCaPem, policy: 'default' };
  const tenants = { get: () => acme, all: () => [acme] };
  const pair = await issueClient(authority, { user: 'alice', groups: ['devs'] });
  const der = new X509Certificate(pair.certPem).raw;
  const known = clientCertAuthenticator({ tenants, nowMs: Date.now });
  const how = `one certificate or token (ES256), shown again and again; median of ${rounds} rounds`;
  const howNew = `the same by an authenticator that has not met it; median of ${rounds} rounds`;

  await using issuer = await startIssuer();
  const file = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: issuer.url, certificateAuthority: issuer.caPem, audiences: ['bench'] },
        claimMappings: { username: { claim: 'sub', prefix: '' }, groups: { claim: 'groups', prefix: '' } },
        tenant: { name: 'acme' },
      },
    ],
  };
  const tokenAuthenticator = () => {
    const issuers = parseAuthentication(JSON.stringify(file), 'bench', Date.now);
    return jwtAuthenticator({ issuers: () => issuers, tenants, nowMs: Date.now, onRefused: () => {} });
  };
  const claims = { sub: 'alice', aud: 'bench', groups: ['devs'] };
  const token = await issuer.token(claims);
  const byToken = tokenAuthenticator();
  const others = await Promise.all(
    Array.from({ length: rounds * NEW_TOKENS }, (_, at) => issuer.token({ ...claims, jti: String(at) })),
  );
  await byToken(token, { tenant: undefined });

  const remembered: number[] = [];
  const met: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    remembered.push(await repeatAsync(bench, () => byToken(token, { tenant: undefined })));
    const part = others.slice(round * NEW_TOKENS, (round + 1) * NEW_TOKENS);
    const startedMs = performance.now();
    for (const other of part) await byToken(other, { tenant: undefined });
    met.push(((performance.now() - startedMs) * 1_000) / part.length);
  }
  const judges = {
    certificate: (bytes: Uint8Array) => clientCertAuthenticator({ tenants, nowMs: Date.now })(bytes),
    token: (text: string) => byToken(text, { tenant: undefined }),
    issuer: issuer.url,
  };
  return [
    figure(
      'client certificate, remembered',
      times(rounds, () => repeat(bench, () => known(der))),
      how,
    ),
    figure(
      'client certificate, first time',
      times(rounds, () => repeat(bench, () => clientCertAuthenticator({ tenants, nowMs: Date.now })(der), 500)),
      howNew,
    ),
    figure('token of an issuer, remembered', remembered, how),
    figure('token of an issuer, first time', met, `${NEW_TOKENS} tokens, each once; median of ${rounds} rounds`),
    ...(await refusedCredentials(bench, judges)),
  ];
}

const NEW_TOKENS = 500;

/** The user has no binding by name; some of the groups have one in each namespace. */
function userOf(groups: number): Identity {
  const names = Array.from({ length: groups }, (_, at) => `group-${at}`);
  return withImplicitGroups({ username: 'alice', groups: names, uid: '', extra: {} });
}

function questions(): Attributes[] {
  const asked: Attributes[] = [];
  for (let namespace = 0; namespace < NAMESPACES; namespace += 1) {
    for (const verb of ['get', 'list', 'update', 'delete']) {
      for (const resource of ['pods', 'secrets', 'configmaps', 'services', 'deployments']) {
        const group = resource === 'deployments' ? 'apps' : '';
        const where = { namespace: `ns-${namespace}`, name: `one-${namespace}`, subresource: '' };
        asked.push({ isResource: true, verb, group, resource, ...where });
      }
    }
  }
  return asked;
}

function figure(name: string, rounds: readonly number[], how: string, goal?: number): Figure {
  return { name, value: median(rounds), unit: 'µs', how, rounds, ...(goal === undefined ? {} : { goal }) };
}

function times(rounds: number, measure: () => number): number[] {
  measure();
  return Array.from({ length: rounds }, measure);
}

/** @returns microseconds for each */
function repeat(bench: Bench, work: (at: number) => unknown, full = 200_000): number {
  const count = bench.quick ? 100 : full;
  const startedMs = performance.now();
  for (let at = 0; at < count; at += 1) work(at);
  return ((performance.now() - startedMs) * 1_000) / count;
}

async function repeatAsync(bench: Bench, work: () => Promise<unknown>): Promise<number> {
  const count = bench.quick ? 100 : 50_000;
  const startedMs = performance.now();
  for (let at = 0; at < count; at += 1) await work();
  return ((performance.now() - startedMs) * 1_000) / count;
}

export const authority: PartScenario = { name: 'authority', title: 'Who it is, and what they may do', runAlone };
