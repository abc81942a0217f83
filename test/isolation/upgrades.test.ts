/**
 * Clients that ask for connections into pods and then behave badly: they vanish at every point of the handshake, send
 * what is no handshake, half close, flood, never read. Each time others are served meanwhile, and at the end the proxy
 * holds nothing of it: no descriptor, and no memory to speak of.
 */
import { readdirSync } from 'node:fs';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rssBytes } from '../bench/process-usage.ts';
import { useProduct } from '../support/as-tenant.ts';
import { type OpenedUpgrade, openUpgrade } from '../support/open-upgrade.ts';
import { eventually } from '../support/processes.ts';

const { acme, globex, facts } = useProduct();
const NS = 'upgrades';
const POD = `/api/v1/namespaces/${NS}/pods/one`;
const EXEC = `${POD}/exec?command=cat&stdin=true&stdout=true`;
const HANDSHAKE = [
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: v5.channel.k8s.io',
];
const SHAKEN = { 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
const MIB = 1_048_576;
const ROUNDS = 10;
const ATTEMPTS = 3;
/** As long as the proxy keeps connections to the host that nobody uses, and a little more. */
const UNUSED_MS = 40_000;

const opened: { [Symbol.dispose](): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one[Symbol.dispose]();
});

beforeAll(async () => {
  await acme.kubectl(`create namespace ${NS}`);
  await acme.kubectl(`run one -n ${NS} --image=none`);
  await acme.kubectl(`wait pod/one -n ${NS} --for=condition=Ready --timeout=120s`);
});

/** Descriptors that the proxy holds. Connections of its own come and go meanwhile. */
function descriptors(): number {
  return readdirSync(`/proc/${facts.pid}/fd`).length;
}

/**
 * Does it so often that what is left of each is more than what comes and goes. What the proxy begins meanwhile and keeps,
 * it begins once: what leaves something behind does so each time.
 */
async function expectNoneLeft(once: () => Promise<void>): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const files = descriptors();
    for (let round = 0; round < ROUNDS; round++) await once();
    const isNoneLeft = () => descriptors() <= files + ROUNDS / 2;
    try {
      return await eventually('no descriptor of them is left', isNoneLeft, UNUSED_MS);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** A TLS connection as the tenant, on which a test writes what it likes. */
async function raw(): Promise<TLSSocket> {
  const { caPem, server } = facts;
  const { certPem, keyPem } = acme.facts;
  const { hostname, port } = new URL(server);
  const socket = connect({ host: hostname, port: Number(port), ca: caPem, cert: certPem, key: keyPem });
  socket.on('error', () => {});
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  opened.push({ [Symbol.dispose]: () => socket.destroy() });
  return socket;
}

function head(path: string, lines: readonly string[] = HANDSHAKE, method = 'GET'): string {
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** All that comes until the other side ends it. */
async function untilClosed(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

async function exec(path = EXEC, handshake?: Readonly<Record<string, string>>): Promise<OpenedUpgrade> {
  const { server, caPem } = facts;
  const { certPem, keyPem } = acme.facts;
  const upgraded = await openUpgrade({
    server,
    caPem,
    certPem,
    keyPem,
    protocol: 'websocket',
    path,
    ...(handshake && { handshake }),
  });
  opened.push(upgraded);
  expect(upgraded.status).toBe(101);
  return upgraded;
}

/** Others are served: the other tenant, and this one. */
async function othersAreServed(): Promise<void> {
  expect((await globex.send('/api/v1/namespaces/default')).status).toBe(200);
  expect(await acme.kubectl(`exec one -n ${NS} -- echo served`)).toBe('served');
}

/** A masked frame, as clients send them. @param claimed its length where it says another than it has */
function frame(opcode: number, payload: Uint8Array, claimed?: bigint): Buffer {
  if (claimed === undefined && payload.length < 126) {
    return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
  }
  const start = Buffer.alloc(14);
  start[0] = 0x80 | opcode;
  start[1] = 0xff;
  start.writeBigUInt64BE(claimed ?? BigInt(payload.length), 2);
  return Buffer.concat([start, payload]);
}

describe('upgrades that are given up', () => {
  it('500 of them, at every point, leave nothing behind', async () => {
    await othersAreServed();
    const [files, rss] = [descriptors(), rssBytes(facts.pid)];
    const giveUp: readonly ((socket: TLSSocket) => Promise<void>)[] = [
      async (socket) => void socket.destroy(),
      async (socket) => {
        socket.write(head(EXEC).slice(0, 60));
        socket.destroy();
      },
      async (socket) => {
        socket.write(head(EXEC));
        socket.destroy();
      },
      async (socket) => {
        socket.end(head(EXEC));
      },
      async (socket) => {
        socket.write(head(EXEC));
        await new Promise((resolve) => socket.once('data', resolve));
        socket.destroy();
      },
    ];
    for (let round = 0; round < 20; round++) {
      const sockets = await Promise.all(Array.from({ length: 25 }, raw));
      await Promise.all(sockets.map((socket, at) => giveUp[at % giveUp.length]?.(socket)));
    }
    // A hundred were given up at each point.
    await eventually('no descriptor of them is left', () => descriptors() <= files + 50, 90_000);
    expect(rssBytes(facts.pid) - rss).toBeLessThan(150 * MIB);
    await othersAreServed();
  });
});

describe('what is no upgrade', () => {
  const without = (name: string) => HANDSHAKE.filter((line) => !line.startsWith(name));
  it.each([
    ['of a protocol of nobody', head(EXEC, [...without('Upgrade'), 'Upgrade: h2c'])],
    ['with a body', head(EXEC, [...HANDSHAKE, 'Content-Length: 5'])],
    ['with a body in pieces', head(EXEC, [...HANDSHAKE, 'Transfer-Encoding: chunked'])],
    ['without a key', head(EXEC, without('Sec-WebSocket-Key'))],
    ['of an unknown version', head(EXEC, [...without('Sec-WebSocket-Version'), 'Sec-WebSocket-Version: 99'])],
    ['by a method of writing', head(EXEC, HANDSHAKE, 'PUT')],
    ['twice', head(EXEC, [...HANDSHAKE, 'Upgrade: SPDY/3.1'])],
    ['with a line that is none', head(EXEC, [...HANDSHAKE, 'no header'])],
  ])('is refused in good order: %s', async (_what, text) => {
    const socket = await raw();
    socket.write(text);
    const answer = await untilClosed(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    acme.mustBeClean(answer);
    await othersAreServed();
  });
});

describe('a connection into a pod', () => {
  it('that is half closed by its client ends, and takes the other side with it', async () => {
    await expectNoneLeft(async () => {
      const upgraded = await exec();
      upgraded.socket?.end();
      await eventually('it ends', () => upgraded.ended);
    });
  });

  it('whose client never reads holds little, however much the pod has to say', async () => {
    const rss = rssBytes(facts.pid);
    const upgraded = await exec(`${POD}/exec?command=cat&command=/dev/zero&stdout=true`);
    upgraded.socket?.pause();
    for (let at = 0; at < 10; at++) await othersAreServed();
    expect(rssBytes(facts.pid) - rss).toBeLessThan(100 * MIB);
    expect(upgraded.ended).toBe(false);
  });

  it.each([
    ['exec', EXEC, 'v5.channel.k8s.io'],
    ['exec of an older protocol', EXEC, 'v4.channel.k8s.io'],
    ['a tunnel for ports', `${POD}/portforward`, 'SPDY/3.1+portforward.k8s.io'],
  ])('answers pings: %s', async (_what, path, protocol) => {
    const upgraded = await exec(path, { ...SHAKEN, 'sec-websocket-protocol': protocol });
    let came = Buffer.alloc(0);
    upgraded.socket?.on('data', (chunk: Buffer) => {
      came = Buffer.concat([came, chunk]);
    });
    for (const word of ['there?', 'still there?']) {
      const payload = Buffer.from(word);
      upgraded.socket?.write(frame(9, payload));
      const pong = Buffer.concat([Buffer.from([0x8a, payload.length]), payload]);
      await eventually('a pong comes', () => came.includes(pong));
    }
    expect(upgraded.ended).toBe(false);
  });

  it.each([
    ['a frame that claims to be of 1 TiB', frame(2, Buffer.alloc(8 * MIB), 2n ** 40n)],
    ['a flood of pings', Buffer.concat(Array.from({ length: 100_000 }, () => frame(9, Buffer.from('ping'))))],
    [
      'frames of a kind that there is not',
      Buffer.concat(Array.from({ length: 1_000 }, () => frame(11, Buffer.alloc(9)))),
    ],
    ['frames without a mask', Buffer.from([0x82, 0x02, 0x00, 0x61, 0x82, 0x02, 0x00, 0x61])],
    ['what is no WebSocket at all', Buffer.alloc(MIB, 'GET / HTTP/1.1\r\n\r\n')],
  ])('takes %s, and others are served meanwhile', async (_what, bytes) => {
    const rss = rssBytes(facts.pid);
    await expectNoneLeft(async () => {
      const upgraded = await exec();
      upgraded.socket?.write(bytes);
      await othersAreServed();
      upgraded[Symbol.dispose]();
    });
    expect(rssBytes(facts.pid) - rss).toBeLessThan(150 * MIB);
  });
});
