import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import http2, { type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { cutOff } from './cut-off.ts';

type End = (response: ServerResponse | Http2ServerResponse) => void;
const CUT: End = (response) => cutOff(response);
const WHOLE: End = (response) => response.end();

function answer(end: End) {
  return (_request: unknown, response: ServerResponse | Http2ServerResponse): void => {
    // The same call of both, whose types say it differently.
    (response as ServerResponse).write('half', () => end(response));
  };
}

async function byHttp2(end: End): Promise<string> {
  const server = http2.createServer(answer(end)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    return await text(session.request({ ':path': '/' }));
  } finally {
    session.close();
    server.close();
  }
}

async function byHttp1(end: End): Promise<string> {
  const server = http.createServer(answer(end)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const [response] = (await once(http.get({ port: (server.address() as AddressInfo).port }), 'response')) as [
      http.IncomingMessage,
    ];
    return await text(response);
  } finally {
    server.close();
  }
}

it.each([
  ['HTTP/1.1', byHttp1],
  ['HTTP/2', byHttp2],
])('an answer that is cut off is an error to its client by %s', async (_name, ask) => {
  await expect(ask(CUT)).rejects.toThrow();
  expect(await ask(WHOLE)).toBe('half');
});
