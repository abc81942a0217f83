import { describe, expect, it } from 'vitest';
import { fillIn } from './defaults.ts';

describe('fillIn', () => {
  it('fills in what is left out, and nothing else', () => {
    const object = { webhooks: [{ name: 'a' }, { name: 'b', timeoutSeconds: 0, rules: [{}, { scope: 'Cluster' }] }] };
    fillIn(object, { 'webhooks[].timeoutSeconds': 10, 'webhooks[].rules[].scope': '*', 'spec.mode': 'x' });
    expect(object).toEqual({
      webhooks: [
        { name: 'a', timeoutSeconds: 10 },
        { name: 'b', timeoutSeconds: 0, rules: [{ scope: '*' }, { scope: 'Cluster' }] },
      ],
    });
  });
  it('fills in below what it filled in itself', () => {
    const object = {};
    fillIn(object, { spec: {}, 'spec.mode': 'x' });
    expect(object).toEqual({ spec: { mode: 'x' } });
  });
  it('gives each object its own value', () => {
    const list = [{}, {}] as { selector?: object }[];
    fillIn({ list } as never, { 'list[].selector': {} });
    expect(list[0]?.selector).not.toBe(list[1]?.selector);
  });
  it.each([{ list: 'wrong' }, { list: [1, null, 'x'] }, { list: null }])('leaves %j as it is', (object) => {
    const before = structuredClone(object);
    fillIn(object, { 'list[].selector': {} });
    expect(object).toEqual(before);
  });
});
