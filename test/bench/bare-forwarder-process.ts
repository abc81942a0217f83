/** Starts the bare forwarder in front of the host, and ends it. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { logTail, startChild } from '../../src/dev/child.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { writePrivateFile } from '../../src/onboarding/kubeconfig.ts';
import { createAuthority, issueServer } from '../../src/pki/certificates.ts';
import type { ForwarderSettings } from './bare-forwarder.ts';
import { type Access, getOrFail, openClient } from './client.ts';

const PROGRAM = fileURLToPath(new URL('bare-forwarder.ts', import.meta.url));
const READY_MS = 20_000;

export interface BareForwarder extends AsyncDisposable {
  readonly pid: number;
  readonly access: Access;
}

/** @param probePath a path that `host` may read */
export async function startBareForwarder(folder: string, host: Access, probePath: string): Promise<BareForwarder> {
  const port = await choosePort(undefined, 'the port of the forwarder');
  const authority = await createAuthority([{ CN: ['bare forwarder CA'] }]);
  const subject = { commonName: 'bare forwarder', dnsNames: [], ipAddresses: ['127.0.0.1'] };
  const settings: ForwarderSettings = { port, host, ...(await issueServer(authority, subject)) };
  const file = join(folder, 'bare-forwarder.json');
  writePrivateFile(file, JSON.stringify(settings));
  const logPath = join(folder, 'bare-forwarder.log');
  const child = await startChild({ name: 'bare-forwarder', file: process.execPath, args: [PROGRAM, file], logPath });
  const stop = async () => void (await child.stop(5_000));
  const access: Access = { server: `https://127.0.0.1:${port}`, caPem: authority.certPem };
  await using client = openClient(access, { connections: 1 });
  const untilMs = Date.now() + READY_MS;
  let fault: unknown;
  const answers = () =>
    getOrFail(client, probePath).then(
      () => true,
      (error: unknown) => {
        fault = error;
        return false;
      },
    );
  while (!(await answers())) {
    if (child.running && Date.now() < untilMs) await sleep(50);
    else {
      await stop();
      throw new Error(`the bare forwarder did not start: ${String(fault)}; its log:\n${logTail(logPath)}`);
    }
  }
  return { pid: child.pid, access, [Symbol.asyncDispose]: stop };
}
