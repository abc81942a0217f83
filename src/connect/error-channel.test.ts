import { describe, expect, it } from 'vitest';
import { scopeOf } from '../../test/support/translate-scope.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import { errorChannel } from './error-channel.ts';

const UNREACHABLE =
  'Internal error occurred: pods "one" cannot be reached: its node did not answer exec; try again, and tell the operator of the cluster if it stays so';
const DIALED =
  'Internal error occurred: error sending request: Post "https://10.0.0.7:10250/exec/acme--web/one/one?command=x": dial tcp 10.0.0.7:10250: connect: connection refused';

function statusOf(message: string, more: object = {}): string {
  const cause = { message: message.replace('Internal error occurred: ', '') };
  return JSON.stringify({
    metadata: {},
    status: 'Failure',
    message,
    reason: 'InternalError',
    details: { causes: [cause] },
    code: 500,
    ...more,
  });
}

/** What a client is told of a message on a channel. */
async function told(text: string, protocol = 'v5.channel.k8s.io', channel = 3): Promise<string> {
  const info = parseRequestInfo('POST', '/api/v1/namespaces/web/pods/one/exec?command=x');
  if (!info.isResource) throw new Error('no resource');
  const stream = errorChannel({ info, scope: scopeOf('acme') }, protocol);
  const isText = protocol.includes('base64');
  const payload = isText
    ? `${channel}${Buffer.from(text).toString('base64')}`
    : `${String.fromCharCode(channel)}${text}`;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(payload.length);
  stream.end(Buffer.concat([Buffer.from([0x82, 126]), length, Buffer.from(payload, 'latin1')]));
  const said = Buffer.concat((await stream.toArray()) as Buffer[]);
  const bytes = said.subarray((said[1] ?? 0) < 126 ? 2 : 4).toString('latin1');
  expect(bytes[0]).toBe(isText ? String(channel) : String.fromCharCode(channel));
  return isText ? Buffer.from(bytes.slice(1), 'base64').toString() : bytes.slice(1);
}

describe('how an exec ended', () => {
  it.each(['v5.channel.k8s.io', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io'])(
    'says nothing of a node that was not reached: %s',
    async (protocol) => {
      expect(JSON.parse(await told(statusOf(DIALED), protocol))).toEqual(JSON.parse(statusOf(UNREACHABLE)));
    },
  );

  it.each(['', 'channel.k8s.io', 'base64.channel.k8s.io'])('nor where it is told as text: %j', async (protocol) => {
    expect(await told(DIALED, protocol)).toBe(UNREACHABLE);
  });

  it.each([
    'error reading from error stream: read tcp [fd00::1]:443->[fd00::2]:10250: read: connection reset by peer',
    'error dialing backend: remote error: tls: internal error',
    'error sending request: Post "https://node-7:10250/exec": EOF',
  ])('nor of the way to it: %s', async (message) => {
    expect(JSON.parse(await told(statusOf(message))).message).toBe(UNREACHABLE);
  });

  it.each([
    ['with success', JSON.stringify({ metadata: {}, status: 'Success' })],
    [
      'by a code of its own, whatever its words',
      statusOf('command terminated with non-zero exit code: https://10.0.0.7', {
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: '3' }] },
      }),
    ],
    ['by the container’s runtime', statusOf('Internal error occurred: container not found ("two")')],
  ])('is told as it was: %s', async (_what, status) => {
    expect(JSON.parse(await told(status))).toEqual(JSON.parse(status));
  });

  it('is told in the tenant’s names', async () => {
    const told5 = await told(statusOf('pod not found ("one" in acme--web)'));
    expect(JSON.parse(told5).message).toBe('pod not found ("one" in web)');
    expect(await told('pod not found ("one" in acme--web)', '')).toBe('pod not found ("one" in web)');
  });

  it('is no matter of what the program writes', async () => {
    expect(await told(DIALED, 'v5.channel.k8s.io', 1)).toBe(DIALED);
    expect(await told(DIALED, 'base64.channel.k8s.io', 2)).toBe(DIALED);
  });
});
