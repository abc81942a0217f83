/**
 * Fields that are unknown or stand twice, under each level of `fieldValidation`: the product refuses, warns and takes as
 * kube-apiserver does, and in its words.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#setting-the-field-validation-level
 */
import { describe, expect, it } from 'vitest';
import { type Asked, direct, seen, throughProduct } from '../../support/plain-and-product.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const LEVELS = ['Strict', 'Warn', 'Ignore', ''];

async function same(asked: Asked): Promise<{ status: number; warning: unknown; text: string }> {
  const [theirs, ours] = await Promise.all([direct(asked), throughProduct(asked)]);
  const all = (answer: typeof ours) => {
    const plain = JSON.parse(JSON.stringify(seen(answer)), (_key, value) =>
      typeof value === 'string' ? value.replace(QUOTED, 'strict') : value,
    );
    return { ...plain, warning: answer.headers['warning'] };
  };
  expect(all(ours)).toEqual(all(theirs));
  return { ...all(ours), text: ours.text };
}

const query = (level: string, more = '') => `?dryRun=All${level === '' ? '' : `&fieldValidation=${level}`}${more}`;
const BODY = `{
  "apiVersion": "v1", "kind": "ConfigMap", "unknown": 1,
  "metadata": {"name": "twice", "unknown": 1, "labels": {"a": "1", "a": "2"}},
  "data": {"x": "1",
    "x": "2", "y": "1",
    "x": "4"},
  "kind": "ConfigMap"
}`;
/** A patch that is refused quotes the whole object, with its uid. */
const QUOTED = /Invalid value: .*: strict/s;

describe.each(LEVELS)('a document with keys that stand twice, at level %j', (level) => {
  it('is created as JSON', async () => {
    const { status, warning } = await same({ method: 'POST', path: MAPS + query(level), body: BODY });
    expect(status).toBe(level === 'Strict' ? 400 : 201);
    expect(warning === undefined).toBe(level === 'Strict' || level === 'Ignore');
  });

  it.each(['application/merge-patch+json', 'application/strategic-merge-patch+json'])(
    'is a patch, %s',
    async (type) => {
      const body = '{"data": {"a": "1", "a": "2"}, "unknown": {"b": 1, "b": 2}}';
      const path = `${MAPS}/kube-root-ca.crt${query(level)}`;
      await same({ method: 'PATCH', path, body, headers: { 'content-type': type } });
    },
  );

  it.each([
    ['JSON', BODY.replace('"unknown": 1,', '').replace('"unknown": 1,', '')],
    ['YAML', '\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: twice\ndata:\n  x: "1"\n  y: "1"\n  x: "2"\n'],
  ])('is applied as %s', async (_, body) => {
    const path = `${MAPS}/twice${query(level, '&fieldManager=test')}`;
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const { status } = await same({ method: 'PATCH', path, body, headers });
    expect(status).toBe(level === 'Strict' ? 400 : 201);
  });
});

it('takes the last of them', async () => {
  const { text } = await same({ method: 'POST', path: MAPS + query('Ignore'), body: BODY });
  expect(JSON.parse(text)).toMatchObject({ data: { x: '4' }, metadata: { labels: { a: '2' } } });
});
