import { expect, it } from 'vitest';
import { warningHeaders } from './warning-header.ts';

it('quotes, and tells the same text once', () => {
  expect(warningHeaders(['a "b" \\', 'x', 'x'])).toEqual(['299 - "a \\"b\\" \\\\"', '299 - "x"']);
});

it('lets no text end the header', () => {
  expect(warningHeaders(['a\r\nset-cookie: b\u0000'])).toEqual(['299 - "a set-cookie: b "']);
});

it('shortens only what is too long together', () => {
  expect(warningHeaders(['a'.repeat(4096)])[0]).toHaveLength('299 - ""'.length + 4096);
  const many = warningHeaders(Array.from({ length: 30 }, (_none, index) => `${index}${'a'.repeat(300)}`));
  expect(many).toHaveLength(16);
  expect(many[0]).toHaveLength('299 - ""'.length + 256);
});
