/**
 * The canary check: no byte that a tenant receives may hold anything of another tenant, of the host, or of the names
 * under which its own objects are stored. Looks into everything that a byte can hide in: header values, gzip, base64
 * (Secrets, binary data, certificates), the payload of tokens, JSON escapes.
 *
 * It finds names, not meaning: a count, a time or an order may tell of others without naming them.
 */
import { gunzipSync } from 'node:zlib';
import type { RawAnswer } from './http.ts';

export interface Forbidden {
  /** For the message: whose it is. */
  readonly what: string;
  readonly pattern: RegExp;
  /** The payload of a token that the host signed names the account as the host knows it: documented, and no one else's. */
  readonly allowedInTokens?: boolean;
}

export interface Secrets {
  /** Id of the tenant that reads. */
  readonly own: string;
  /** Ids of all other tenants, their uids, and the random words planted in their objects. */
  readonly foreign: readonly string[];
  /** Names of the host's own namespaces, accounts and objects that no tenant is to hear of. */
  readonly host: readonly string[];
}

/** What this tenant must never be sent. */
export function forbiddenTo({ own, foreign, host }: Secrets): Forbidden[] {
  return [
    { what: 'its own upstream prefix', pattern: new RegExp(`${literal(own)}--`, 'i'), allowedInTokens: true },
    // In words of its own only: three letters in a row are met by chance in base64.
    {
      what: 'its own id',
      pattern: new RegExp(`(?<![a-z0-9+/])${literal(own)}(?![a-z0-9+/])`, 'i'),
      allowedInTokens: true,
    },
    {
      what: 'its own id in a camel-case name',
      pattern: new RegExp(`${capital(own)}[A-Z][a-z]{2}`),
      allowedInTokens: true,
    },
    ...foreign.map((word) => ({ what: 'of another tenant', pattern: new RegExp(literal(word), 'i') })),
    ...host.map((word) => ({ what: 'of the host', pattern: new RegExp(literal(word), 'i') })),
    // The audience of a tenant's tokens and the group of usages are the only things of ours that it may see.
    {
      what: 'of the proxy',
      pattern:
        /(?<!\busage\.)kubeveil\.dev\/(?![0-9a-f]{8}-[0-9a-f-]{27})|kubeveil:|kubeveil\.inert|virtual\.kubeveil/i,
    },
  ];
}

/** Where Kubernetes' own texts have the name of a tenant of the tests: the schema of a Job's `managedBy`. */
const KUBERNETES_SAYS = ['acme.io/foo'];

interface Piece {
  readonly text: string;
  readonly where: string;
}

export interface Looking {
  /** What the tenant itself sent in the request, which an error may repeat. */
  readonly typed?: readonly string[];
}

/** Every forbidden thing in the bytes, each with its surroundings; empty when they are clean. */
export function leaksIn(
  bytes: Uint8Array | string,
  forbidden: readonly Forbidden[],
  { typed = [] }: Looking = {},
): string[] {
  const found: string[] = [];
  for (const { text, where } of pieces(Buffer.from(bytes))) {
    const own = [...KUBERNETES_SAYS, ...typed].reduce((rest, word) => rest.replaceAll(word, '\u00b7'), text);
    for (const { what, pattern, allowedInTokens } of forbidden) {
      if (allowedInTokens === true && where.includes('token')) continue;
      const match = pattern.exec(own);
      if (match === null) continue;
      const around = own.slice(Math.max(0, match.index - 80), match.index + match[0].length + 80);
      found.push(`${what}, ${JSON.stringify(match[0])} in ${where}: ...${around}...`);
    }
  }
  return found;
}

/** Status line, headers and body of an answer. @throws {Error} which shows each leak */
export function expectClean(
  answer: Pick<RawAnswer, 'statusText' | 'rawHeaders' | 'body'>,
  forbidden: readonly Forbidden[],
  looking: Looking = {},
): void {
  const head = `${answer.statusText}\n${answer.rawHeaders.join('\n')}`;
  refuse([
    ...leaksIn(head, forbidden, looking).map((leak) => `header: ${leak}`),
    ...leaksIn(answer.body, forbidden, looking),
  ]);
}

/** The same for text, such as what kubectl printed. @throws {Error} which shows each leak */
export function expectCleanText(text: string, forbidden: readonly Forbidden[], looking: Looking = {}): void {
  refuse(leaksIn(text, forbidden, looking));
}

function refuse(leaks: readonly string[]): void {
  if (leaks.length > 0)
    throw new Error(`the tenant was sent what it must not see:\n  ${leaks.slice(0, 5).join('\n  ')}`);
}

/** The bytes as text, and everything that is packed inside them, to a depth of three. */
function* pieces(bytes: Buffer, where = 'the body', depth = 3): Iterable<Piece> {
  const plain = unpacked(bytes);
  const text = plain.toString('utf8');
  yield { text, where };
  if (/\\u00[2-7]/i.test(text)) yield { text: unescaped(text), where: `${where}, escapes undone` };
  if (depth === 0) return;
  for (const [token, payload] of text.matchAll(/eyJ[\w-]{8,}\.(eyJ[\w-]{8,})\.[\w-]{8,}/g)) {
    if (token !== undefined)
      yield { text: Buffer.from(payload ?? '', 'base64url').toString('utf8'), where: `${where}, a token` };
  }
  for (const [word] of text.matchAll(/(?<![\w+/-])[\w+/-]{12,}={0,2}(?![\w+/-])/g)) {
    // A token is read above, and its halves must not count as other things.
    if (word.startsWith('eyJ')) continue;
    const decoded = Buffer.from(word, 'base64');
    if (decoded.length >= 8) yield* pieces(decoded, `${where}, base64`, depth - 1);
  }
}

function unpacked(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes);
  } catch {
    return bytes;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function capital(word: string): string {
  return literal(`${word[0]?.toUpperCase()}${word.slice(1)}`);
}

function literal(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
