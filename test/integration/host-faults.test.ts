/**
 * What is kept in memory while the host fails in the ways in which hosts fail: it hangs, connections break in the middle,
 * its history is compacted away, its certificate expires, its store is restored from a backup. Nothing is made up, nothing
 * is lost, and an informer that was open goes on, but for the last, after which nothing that anybody knew means anything.
 *
 * @see https://kubernetes.io/docs/tasks/administer-cluster/configure-upgrade-etcd/#restoring-an-etcd-cluster
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { choosePort } from '../../src/dev/ports.ts';
import { issueServer } from '../../src/pki/certificates.ts';
import { expectStatus } from '../support/as-tenant.ts';
import { backUp } from '../support/etcd-backup.ts';
import { ALL, eventsOf, FaultLab, INFORMER, knownBy, MAPS } from '../support/fault-lab.ts';
import { jsonOf } from '../support/http.ts';
import { type OpenWatch, openWatch } from '../support/open-watch.ts';
import { eventually } from '../support/processes.ts';

let lab: FaultLab;
let etcdPort: number;
let informer: OpenWatch;

beforeAll(async () => {
  etcdPort = await choosePort(undefined, 'etcd');
  lab = await FaultLab.open({ ports: { etcd: etcdPort } });
});
afterAll(() => lab?.[Symbol.asyncDispose]());
beforeEach(async () => {
  informer = await lab.informer();
});
afterEach(() => informer?.[Symbol.dispose]());

/** The informer is as it should be: told all of it, once, and nothing else. */
async function expectWhole(last: string): Promise<void> {
  await lab.make(last);
  await lab.told(informer, last);
  expect(knownBy(informer)).toEqual(await lab.names());
  const added = eventsOf(informer).filter((event) => event.startsWith('ADDED'));
  expect(added).toEqual([...new Set(added)]);
  expect(informer.ended).toBeUndefined();
}

it('an API server that hangs: what was known is told with a warning, and the watch goes on when it wakes', async () => {
  await lab.make('hang-before');
  await lab.told(informer, 'hang-before');
  lab.controlPlane.freeze('kube-apiserver');
  try {
    expect((await lab.acme.send(ALL)).status).toBe(504);
    await eventually('it has noticed', () => lab.warns(), 60_000);
    expect(await lab.names('resourceVersion=0')).toContain('hang-before');
    expect((await lab.acme.write('POST', MAPS, { metadata: { name: 'hang-lost' } })).status).toBeGreaterThanOrEqual(
      503,
    );
    expect(informer.ended).toBeUndefined();
  } finally {
    lab.controlPlane.thaw('kube-apiserver');
  }
  await lab.recovered();
  await expectWhole('hang-after');
});

it('connections that break in the middle of what they carry: nothing is lost, nothing comes twice', async () => {
  for (const everyBytes of [3_000, 12_000, 40_000]) {
    lab.relay.lose(everyBytes);
    for (let at = 0; at < 12; at += 1) {
      await lab.makeOnHost(`loss-${everyBytes}-${at}`, { data: 'x'.repeat(1_500) });
      if (at % 3 === 2) await lab.removeOnHost(`loss-${everyBytes}-${at - 1}`);
    }
    lab.relay.mend();
    await lab.recovered();
    await expectWhole(`loss-${everyBytes}-last`);
  }
});

it('a history that is gone: the watch is told the difference', async () => {
  await lab.make('old-stays');
  await lab.make('old-goes');
  await lab.told(informer, 'old-goes');
  const page = jsonOf<{ metadata: { continue: string } }>(await lab.acme.send(`${MAPS}?limit=1`));
  lab.relay.cut();
  await lab.makeOnHost('old-comes');
  await lab.removeOnHost('old-goes');
  await compactEtcd();
  // Its own memory reaches back as well.
  await lab.controlPlane.restart('kube-apiserver');
  lab.relay.mend();
  await lab.recovered();
  await lab.told(informer, 'old-comes');
  await expectWhole('old-last');
  expect(eventsOf(informer).filter((event) => /old-(comes|goes)/.test(event))).toEqual([
    'ADDED old-goes',
    ...eventsOf(informer).filter((event) => /^(ADDED old-comes|DELETED old-goes)$/.test(event)),
  ]);
  // Who knows no more than what is gone is told so, in the API server's words.
  const { server, caPem } = lab.controlPlane;
  const direct = { server, caPem, ...lab.controlPlane.admin };
  const query = 'watch=true&resourceVersion=1';
  using theirs = await openWatch({ ...direct, path: `/api/v1/namespaces/acme--default/configmaps?${query}` });
  using one = await lab.acme.watch(`${MAPS}?${query}`);
  using all = await lab.acme.watch(`${ALL}?${query}`);
  for (const watch of [theirs, one, all]) await eventually('it ends', () => watch.ended !== undefined);
  expect(eventsOf(theirs)).toEqual(['ERROR 410 Expired']);
  for (const watch of [one, all]) {
    expect([watch.status, watch.ended, watch.text]).toEqual([theirs.status, theirs.ended, theirs.text]);
  }
  const token = encodeURIComponent(page.metadata.continue);
  const next = await lab.acme.send(`${MAPS}?limit=1&continue=${token}`);
  expectStatus(next, 410, 'Expired');
  const { metadata } = jsonOf<{ metadata: { continue: string } }>(next);
  const goesOn = await lab.acme.send(`${MAPS}?limit=1&continue=${encodeURIComponent(metadata.continue)}`);
  expect(goesOn.status).toBe(200);
});

it('a certificate that has expired: the API server is not believed, and is again when it has a new one', async () => {
  await lab.make('certificate-before');
  await lab.told(informer, 'certificate-before');
  const [certFile, keyFile] = ['apiserver.crt', 'apiserver.key'].map((name) =>
    join(lab.controlPlane.workDir, 'pki', name),
  );
  const before = await Promise.all([readFile(certFile as string), readFile(keyFile as string)]);
  const authority = {
    certPem: readFileSync(lab.controlPlane.caCertPath, 'utf8'),
    keyPem: readFileSync(lab.controlPlane.caKeyPath, 'utf8'),
  };
  const expired = await issueServer(authority, {
    commonName: 'kube-apiserver',
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
    ttlMs: 1,
  });
  expect(Date.parse(new X509Certificate(expired.certPem).validTo)).toBeLessThan(Date.now());
  await writeFile(certFile as string, expired.certPem);
  await writeFile(keyFile as string, expired.keyPem);
  try {
    // A new process, since the one that runs reads them when it likes; nobody of the control plane itself believes it.
    await lab.controlPlane.kill('kube-apiserver');
    lab.controlPlane.restart('kube-apiserver').catch(() => {});
    await eventually('it has noticed', () => lab.warns(), 60_000);
    expectStatus(await lab.acme.send(ALL), 503, 'ServiceUnavailable');
    expect(await lab.names('resourceVersion=0')).toContain('certificate-before');
    expect(informer.ended).toBeUndefined();
  } finally {
    await writeFile(certFile as string, before[0] as Buffer);
    await writeFile(keyFile as string, before[1] as Buffer);
  }
  await lab.controlPlane.restart('kube-apiserver');
  await lab.recovered();
  await expectWhole('certificate-after');
});

it('a store that was restored from a backup: what came after the backup is forgotten by everybody', async () => {
  await lab.make('kept');
  const restore = await backUp(lab.controlPlane);
  await lab.make('lost');
  await lab.told(informer, 'lost');
  const namespace = await lab.acme.write('POST', '/api/v1/namespaces', { metadata: { name: 'lost' } });
  expect(namespace.status).toBe(201);
  for (let at = 0; at < 50; at += 1) await lab.makeOnHost(`lost-${at}`);
  await lab.told(informer, 'lost-49');
  const { metadata } = await lab.acme.json(`${ALL}?resourceVersion=0`);

  await restore();

  await eventually('the watch is told that what it knows is void', () => informer.ended !== undefined, 90_000);
  expect(eventsOf(informer).at(-1)).toBe('ERROR 410 Expired');
  await lab.recovered();
  expect(await lab.names()).toEqual((await lab.names('resourceVersion=0'))?.sort());
  expect((await lab.names())?.filter((name) => name.startsWith('lost'))).toEqual([]);
  expect(await lab.names()).toContain('kept');
  expect((await lab.acme.send(`${ALL}?resourceVersion=${metadata.resourceVersion}`)).status).toBe(504);
  using again = await lab.acme.watch(`${ALL}?${INFORMER}`);
  await again.until('initial-events-end');
  expect(again.text).toContain('"name":"kept"');
  expect(again.text).not.toContain('"name":"lost');

  // What the proxy itself decides by has begun anew, too: it knows no namespace that is lost, and hears of new ones.
  await eventually('the namespace is unknown', async () => {
    const { items } = await lab.acme.json('/api/v1/namespaces');
    return !items.some(({ metadata: { name } }: { metadata: { name: string } }) => name === 'lost');
  });
  for (const name of ['lost', 'new']) {
    await lab.made('/api/v1/namespaces', { metadata: { name } });
    // What the proxy follows is read again kind by kind, each when it tries again.
    await lab.made(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'map' } });
  }
});

/** Everything before now. */
async function compactEtcd(): Promise<void> {
  const { header } = await askEtcd('/v3/kv/range', { key: 'AA==' });
  await askEtcd('/v3/kv/compaction', { revision: header.revision, physical: true });
}

function askEtcd(path: string, body: unknown): Promise<{ header: { revision: string } }> {
  const file = (name: string): Buffer => readFileSync(join(lab.controlPlane.workDir, 'pki', name));
  const { promise, resolve, reject } = Promise.withResolvers<{ header: { revision: string } }>();
  const outgoing = request(
    {
      host: '127.0.0.1',
      port: etcdPort,
      path,
      method: 'POST',
      ca: file('etcd-ca.crt'),
      cert: file('etcd-client.crt'),
      key: file('etcd-client.key'),
    },
    (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (incoming.statusCode === 200) resolve(JSON.parse(text) as { header: { revision: string } });
        else reject(new Error(`etcd answered ${path} with ${incoming.statusCode}: ${text}`));
      });
    },
  );
  outgoing.once('error', reject);
  outgoing.end(JSON.stringify(body));
  return promise;
}
