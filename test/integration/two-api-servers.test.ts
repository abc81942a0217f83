/**
 * A host with two API servers behind one address, one of which is behind the other: it hears of etcd half a second late.
 * The proxy is led from one to the other while things happen. What it keeps never goes back, and loses nothing.
 *
 * @see https://kubernetes.io/docs/tasks/administer-cluster/highly-available-control-plane/
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Child, startChild } from '../../src/dev/child.ts';
import { createKubeClient } from '../../src/dev/kube-client.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { ALL, eventsOf, FaultLab, knownBy, MAPS } from '../support/fault-lab.ts';
import { jsonOf } from '../support/http.ts';
import { eventually } from '../support/processes.ts';
import { openRelay, type Relay } from '../support/relay.ts';

const LATE_MS = 500;
const ROUNDS = 8;

let lab: FaultLab;
let second: Child;
let secondPort: number;
let toEtcd: Relay;

beforeAll(async () => {
  const etcdPort = await choosePort(undefined, 'etcd');
  lab = await FaultLab.open({ ports: { etcd: etcdPort } });
  toEtcd = await openRelay(etcdPort);
  secondPort = await choosePort(undefined, 'the second API server');
  second = await startSecond();
});
afterAll(async () => {
  await second?.stop(10_000);
  await toEtcd?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

/** As the first, but for its port, its way to etcd and its audit log. */
async function startSecond(): Promise<Child> {
  const { pid } = lab.controlPlane.programs()['kube-apiserver'];
  const [file = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const own = args
    .filter((arg) => !arg.startsWith('--audit-'))
    .map((arg) => arg.replace(/^--secure-port=.*/, `--secure-port=${secondPort}`))
    .map((arg) => arg.replace(/^--etcd-servers=.*/, `--etcd-servers=https://127.0.0.1:${toEtcd.port}`));
  const logPath = join(lab.controlPlane.workDir, 'logs', 'second-apiserver.log');
  const child = await startChild({
    name: 'second-apiserver',
    file,
    args: own,
    logPath,
    env: { HOME: lab.controlPlane.workDir },
  });
  const { caPem, admin } = lab.controlPlane;
  const client = createKubeClient({ server: `https://127.0.0.1:${secondPort}`, caPem, ...admin });
  await eventually(
    'the second API server is ready',
    async () =>
      (await client.send('GET', '/readyz').then(
        ({ status }) => status,
        () => 0,
      )) === 200,
    120_000,
  );
  client.close();
  return child;
}

it('is told of everything once, never goes back, and reads what it wrote', async () => {
  using informer = await lab.informer();
  const first = Number(new URL(lab.controlPlane.server).port);
  toEtcd.delay(LATE_MS);
  let memory = 0n;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const port of [first, secondPort]) {
      // What was written just before is not known yet where the proxy is led now.
      await lab.makeOnHost(`round-${round}-${port === first ? 'first' : 'second'}`);
      lab.relay.lead(port);
      if (round > 0) await lab.removeOnHost(`round-${round - 1}-${port === first ? 'first' : 'second'}`);
      const name = `own-${round}-${port === first ? 'first' : 'second'}`;
      await lab.make(name);
      // A read that asks for the newest has what was written before it, whoever answers.
      expect((await lab.acme.send(`${MAPS}/${name}`)).status, name).toBe(200);
      const list = await lab.acme.send(`${ALL}?resourceVersion=0`);
      expect(list.status).toBe(200);
      const version = BigInt(jsonOf<{ metadata: { resourceVersion: string } }>(list).metadata.resourceVersion);
      expect(version).toBeGreaterThanOrEqual(memory);
      memory = version;
    }
  }
  toEtcd.mend();
  await lab.recovered();
  await lab.make('last');
  await lab.told(informer, 'last');
  expect(knownBy(informer)).toEqual(await lab.names());
  const added = eventsOf(informer).filter((event) => event.startsWith('ADDED'));
  expect(added).toEqual([...new Set(added)]);
  expect(informer.ended).toBeUndefined();
});
