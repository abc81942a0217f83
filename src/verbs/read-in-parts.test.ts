import { expect, it } from 'vitest';
import { type Scripted, textOf } from '../../test/support/scripted-upstream.ts';
import { listOf, refusal, VerbLab } from '../../test/support/verb-lab.ts';
import { nameOf } from '../k8s/meta.ts';
import { objects } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { UpstreamRequest } from '../ports.ts';
import { readInParts } from './read-in-parts.ts';

const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

function page(kind: string, token: string, ...metadata: JsonObject[]): Scripted {
  const list = listOf(
    kind,
    50,
    metadata.map((one) => ({ metadata: one })),
  );
  if (kind !== 'PodList' && kind !== 'NamespaceList')
    Object.assign(list.body as JsonObject, { apiVersion: 'virtual.kubeveil.dev/v1' });
  if (token !== '') Object.assign(list.body as JsonObject, { metadata: { resourceVersion: '50', continue: token } });
  return list;
}

/** Names in the parts, and what upstream was asked. */
async function read(target: string, answer: (text: string) => Scripted) {
  const lab = new VerbLab((request: UpstreamRequest) => answer(textOf(request)));
  const parts: string[][] = [];
  const list = await readInParts(lab.call('GET', target), lab.deps, (part) => {
    parts.push(objects(part, 'items').map(nameOf));
  });
  return { list, parts, asked: lab.upstream.texts() };
}

it('reads what is of the whole cluster page by page', async () => {
  const label = { 'kubeveil.dev/tenant': 'acme' };
  const { list, parts, asked } = await read(HOOKS, (text) =>
    text.includes('continue=')
      ? page('ValidatingWebhookConfigurationList', '', { name: 'acme--two', labels: label })
      : page('ValidatingWebhookConfigurationList', 'more', { name: 'acme--one', labels: label }),
  );
  expect(parts).toEqual([['one'], ['two']]);
  expect(list).toMatchObject({
    kind: 'ValidatingWebhookConfigurationList',
    metadata: { resourceVersion: '50' },
    items: [],
  });
  expect(asked.map((text) => text.split('?')[1])).toEqual([
    expect.stringContaining('limit=250'),
    expect.stringContaining('limit=250&continue=more'),
  ]);
});

it('reads each namespace page by page, all of them at the revision of the first answer', async () => {
  const { list, parts, asked } = await read('/api/v1/pods', (text) => {
    if (text.includes('/namespaces?'))
      return page('NamespaceList', '', { name: 'acme--default' }, { name: 'acme--web' });
    const namespace = text.includes('acme--web') ? 'acme--web' : 'acme--default';
    if (text.includes('continue=')) return page('PodList', '', { namespace, name: 'two' });
    return page('PodList', namespace === 'acme--web' ? 'more' : '', { namespace, name: 'one' });
  });
  expect(parts).toEqual([['one'], ['one'], ['two']]);
  expect(list).toMatchObject({ kind: 'PodList', metadata: { resourceVersion: '50' } });
  const pages = asked.filter((text) => text.includes('limit=250'));
  expect(pages).toEqual([
    expect.stringMatching(/acme--default\/pods\?.*resourceVersion=50&resourceVersionMatch=Exact/),
    expect.stringMatching(/acme--web\/pods\?.*resourceVersion=50&resourceVersionMatch=Exact/),
    expect.stringMatching(/acme--web\/pods\?limit=250&continue=more$/),
  ]);
});

it('takes no part for the whole: what is refused in between is a failure', async () => {
  const reading = read(HOOKS, (text) =>
    text.includes('continue=') ? refusal(410, 'Expired') : page('ValidatingWebhookConfigurationList', 'more'),
  );
  await expect(reading).rejects.toThrow('reading validatingwebhookconfigurations was answered with 410');
});
