/**
 * How long credentials that are nobody's hold up everybody else: each sort is shown again and again to the parts that judge
 * it, with a turn of the event loop between, and the longest hold-up counts. Anybody can send them, as many as they like.
 */
import { X509Certificate } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthority, issueClient } from '../../src/pki/certificates.ts';
import type { Figure } from './figures.ts';
import type { Bench } from './scenario.ts';

const GOAL_MS = 50;
const TIMES = 200;
/** The most that a token may have. */
const TOKEN_CHARS = 16_384;

/** Of certificates, those that remember none that they refused. */
export interface Judges {
  certificate(der: Uint8Array): unknown;
  token(token: string): Promise<unknown>;
  /** The `iss` of tokens that are looked at further. */
  readonly issuer: string;
}

export async function refusedCredentials(bench: Bench, judges: Judges): Promise<Figure[]> {
  const sorts = { ...(await certificates(judges)), ...tokens(judges) };
  const times = bench.quick ? 2 : TIMES;
  const longest: Array<readonly [string, number]> = [];
  for (const [sort, show] of Object.entries(sorts)) longest.push([sort, await holdUpMs(show, times)]);
  const [worst, value] = longest.reduce((a, b) => (a[1] >= b[1] ? a : b));
  const how = `longest delay of the event loop while ${Object.keys(sorts).length} sorts of bad certificates and tokens are refused, each ${times} times; the longest is of ${worst}`;
  return [{ name: 'a refused credential, longest hold-up of all others', value, unit: 'ms', goal: GOAL_MS, how }];
}

async function holdUpMs(show: () => Promise<unknown>, times: number): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  await sleep(5);
  delays.enable();
  await sleep(5);
  for (let at = 0; at < times; at += 1) {
    await show().then(
      () => Promise.reject(new Error('a bad credential was taken')),
      () => undefined,
    );
    await sleep(1);
  }
  delays.disable();
  return delays.max / 1e6;
}

async function certificates(judges: Judges): Promise<Record<string, () => Promise<unknown>>> {
  const foreign = await createAuthority([{ CN: ['kubeveil tenant acme'] }, { OU: ['u'] }]);
  const groups = (count: number) => Array.from({ length: count }, (_, at) => `group-of-many-${at}`);
  const der = async (count: number) =>
    new X509Certificate((await issueClient(foreign, { user: 'a', groups: groups(count) })).certPem).raw;
  const [small, most, tooLarge] = await Promise.all([der(1), der(900), der(2_000)]);
  const show = (bytes: Uint8Array) => async () => judges.certificate(bytes);
  return {
    'a certificate of another CA': show(small),
    'the same with as many groups as may be': show(most),
    'the same with more': show(tooLarge),
    'bytes that are no certificate': show(Buffer.alloc(30_000, 0x30)),
  };
}

function tokens(judges: Judges): Record<string, () => Promise<unknown>> {
  const encoded = (text: string) => Buffer.from(text).toString('base64url');
  const of = (header: object, payload: string) => [encoded(JSON.stringify(header)), encoded(payload), 'c2ln'].join('.');
  const show = (make: (issuer: string) => string) => async () => {
    if ((await judges.token(make(judges.issuer))) === undefined) throw new Error('it is of no issuer');
  };
  const claims = (issuer: string, more: object = {}) =>
    JSON.stringify({ iss: issuer, aud: 'bench', exp: 4e9, ...more });
  const full = (text: string) => text.slice(0, TOKEN_CHARS - 2_000);
  return {
    'a token without a signature': show((issuer) => of({ alg: 'none' }, claims(issuer))),
    'one with a made-up signature': show((issuer) => of({ alg: 'ES256', kid: 'x' }, claims(issuer))),
    'one of the longest': show((issuer) => of({ alg: 'RS256' }, claims(issuer, { a: 'x'.repeat(8_000) }))),
    'one that is deep': show(() => full(of({ alg: 'ES256' }, `{"a":${'['.repeat(9_000)}`))),
    'one that would take long to open': show(
      () => `${encoded('{"alg":"PBES2-HS256+A128KW","p2c":2147483647}')}.a.b.c.d`,
    ),
    'one that is too long': show(() => 'a'.repeat(60_000)),
    'one of dots': show(() => '.'.repeat(TOKEN_CHARS)),
  };
}
