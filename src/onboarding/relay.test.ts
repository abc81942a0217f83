import { expect, it } from 'vitest';
import { ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { RelaySecrets } from './relay.ts';

const published = (data: Record<string, string>, place: { isGiven: boolean }) =>
  new RelaySecrets(new ScriptedUpstream(() => ({ status: 200, body: { data } }))).published(place);

it('the proxy is where it says, with its CA', async () => {
  const data = { server: 'https://proxy:8443', 'ca.crt': 'the ca' };
  const told = { server: 'https://proxy:8443', caPem: 'the ca' };
  expect(await published(data, { isGiven: false })).toEqual(told);
});

it('a proxy that does not say where it is has to be given a place', async () => {
  const data = { 'ca.crt': 'the ca' };
  await expect(published(data, { isGiven: false })).rejects.toThrow('give --url or --service');
  expect(await published(data, { isGiven: true })).toEqual({ server: '', caPem: 'the ca' });
});

it('a proxy that has not run is told, wherever it is to be', async () => {
  await expect(published({ server: 'https://proxy:8443' }, { isGiven: true })).rejects.toThrow('start it first');
});
