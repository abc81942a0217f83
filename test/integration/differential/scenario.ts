/**
 * Requests as they are sent to kube-apiserver, as its administrator, and to the product, as a tenant's: the same bytes
 * to both, one after the other, because in its own virtual cluster a tenant uses the names that anybody would use.
 *
 * What only one side can know (a revision, a uid, a continue token) is written `@rv@`, `@uid@`, `@continue@`, and stands
 * for what that side answered last; `@first.rv@` for what it answered to the request called `first`. `@side@` is another
 * word for each: the plain server's administrator also sees what tenants have, and tells it apart by a label.
 */
import { type RawAnswer, type RawRequest, requestOnce } from '../../support/http.ts';
import { documentsIn } from './documents.ts';

export interface Ask extends Pick<RawRequest, 'path' | 'method' | 'headers' | 'body'> {
  /** Under this name, what it answered can be used later. */
  readonly called?: string;
}

export interface Scenario {
  readonly title: string;
  readonly asks: readonly Ask[];
}

/** A server, and who asks it. */
export type Side = Pick<RawRequest, 'server' | 'caPem' | 'certPem' | 'keyPem'>;

export interface Sides {
  /** kube-apiserver itself. */
  readonly plain: Side;
  readonly tenant: Side;
}

export interface Compared {
  readonly title: string;
  readonly ask: Ask;
  readonly theirs: RawAnswer;
  readonly ours: RawAnswer;
}

/** Runs one scenario on both sides at once; what it makes is the next one's to find. */
export async function play({ title, asks }: Scenario, sides: Sides): Promise<Compared[]> {
  const known = { plain: new Map([['side', 'side-p']]), tenant: new Map([['side', 'side-t']]) };
  const compared: Compared[] = [];
  for (const ask of asks) {
    const [theirs, ours] = await Promise.all([
      send(ask, sides.plain, known.plain),
      send(ask, sides.tenant, known.tenant),
    ]);
    compared.push({ title, ask, theirs, ours });
  }
  return compared;
}

/** Scenarios that leave nothing behind, several at once. */
export async function playAll(scenarios: readonly Scenario[], sides: Sides, atOnce = 8): Promise<Compared[]> {
  const compared: Compared[][] = [];
  let next = 0;
  async function work(): Promise<void> {
    for (let at = next++; at < scenarios.length; at = next++) {
      compared[at] = await play(scenarios[at] as Scenario, sides);
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, scenarios.length) }, work));
  return compared.flat();
}

/** A scenario of one request. */
export function one(ask: Ask | string): Scenario {
  const whole = typeof ask === 'string' ? { path: ask } : ask;
  return { title: `${whole.method ?? 'GET'} ${whole.path}`, asks: [whole] };
}

async function send(ask: Ask, side: Side, known: Map<string, string>): Promise<RawAnswer> {
  const { path, body, headers = {}, method = 'GET', called } = ask;
  const answer = await requestOnce({
    ...side,
    timeoutMs: ANSWERED_WITHIN_MS,
    method,
    headers,
    path: fill(path, known, encodeURIComponent),
    body: typeof body === 'string' ? fill(body, known, String) : body,
  }).catch((error: unknown) => unanswered(error));
  remember(answer, known, called);
  return answer;
}

/** Long enough for everything that is asked for here; a watch that does not end when it was told to is not waited for. */
const ANSWERED_WITHIN_MS = 20_000;

/** That no answer came is something to compare too. */
function unanswered(error: unknown): RawAnswer {
  const { cause } = error as Error;
  const text = `no answer: ${String(cause ?? error)}`;
  return { status: 0, statusText: '', rawHeaders: [], headers: {}, body: Buffer.from(text), text };
}

function fill(text: string, known: ReadonlyMap<string, string>, write: (value: string) => string): string {
  return text.replace(/@((?:\w+\.)?(?:rv|uid|continue|name|side))@/g, (_, key: string) =>
    write(known.get(key) ?? `no-${key}`),
  );
}

function remember(answer: RawAnswer, known: Map<string, string>, called: string | undefined): void {
  const [document] = documentsIn(answer);
  const { metadata } = (document ?? {}) as { metadata?: Record<string, unknown> };
  for (const [key, field] of [
    ['rv', 'resourceVersion'],
    ['uid', 'uid'],
    ['continue', 'continue'],
    ['name', 'name'],
  ] as const) {
    const value = metadata?.[field];
    if (typeof value !== 'string' || value === '') continue;
    known.set(key, value);
    if (called !== undefined) known.set(`${called}.${key}`, value);
  }
}
