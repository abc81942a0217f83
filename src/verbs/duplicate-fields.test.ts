import { describe, expect, it } from 'vitest';
import { VerbLab } from '../../test/support/verb-lab.ts';
import type { Call } from './call.ts';
import { serve } from './verbs.ts';

const MAPS = '/api/v1/namespaces/web/configmaps';

/** A host that takes everything, and warns of something itself. */
function lab(status = 201): VerbLab {
  return new VerbLab(() => ({
    status,
    headers: { warning: '299 - "unknown field \\"x\\""' },
    body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'one', namespace: 'acme--web' } },
  }));
}

function twice(call: Call): Call {
  return {
    ...call,
    body: { contentType: 'application/json', document: {}, ...call.body, duplicates: ['duplicate field "data.a"'] },
  };
}

const BODY = { metadata: { name: 'one' }, data: { a: 'b' } };

async function warnings(query: string): Promise<unknown> {
  const one = lab();
  const reply = await serve(twice(one.call('POST', `${MAPS}?${query}`, { body: BODY })), one.deps);
  return reply.headers?.['warning'];
}

describe('a field that stands twice', () => {
  it.each(['', 'fieldValidation=Warn', 'fieldValidation='])('is told before what upstream tells: %j', async (query) => {
    expect(await warnings(query)).toEqual(['299 - "duplicate field \\"data.a\\""', '299 - "unknown field \\"x\\""']);
  });

  it('is not told where nothing is to be told', async () => {
    expect(await warnings('fieldValidation=Ignore')).toEqual(['299 - "unknown field \\"x\\""']);
  });

  it('is refused under Strict, before anything goes upstream', async () => {
    const one = lab();
    for (const [method, path, code] of [
      ['POST', MAPS, 'ERR_BAD_REQUEST'],
      ['PUT', `${MAPS}/one`, 'ERR_BAD_REQUEST'],
      ['PATCH', `${MAPS}/one`, 'ERR_INVALID'],
    ] as const) {
      const call = twice(one.call(method, `${path}?fieldValidation=Strict`, { body: BODY }));
      await expect(serve(call, one.deps)).rejects.toMatchObject({
        code,
        message: expect.stringContaining('strict decoding error: duplicate field "data.a"'),
      });
    }
    expect(one.upstream.requests).toEqual([]);
  });

  it('is nothing to say of a body without one under Strict', async () => {
    const one = lab();
    const call = one.call('POST', `${MAPS}?fieldValidation=Strict`, { body: BODY });
    expect(await serve(call, one.deps)).toMatchObject({ status: 201 });
  });
});
