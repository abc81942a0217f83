import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cloneJson,
  JsonSyntaxError,
  MAX_JSON_DEPTH,
  parseJson,
  rawNumberText,
  readObject,
  stringifyJson,
} from './json.ts';

describe('numbers', () => {
  it.each([
    '9223372036854775807',
    '-9223372036854775808',
    '18446744073709551616',
    '0.1000000000000000055511151231257827',
    '1.0',
    '1e3',
    '1E+400',
    '-0',
    '-0.0',
    '123456789012345678901234567890.5',
    '0',
    '42',
    '-7',
    '0.5',
  ])('%s keeps every digit, wherever it stands', (digits) => {
    for (const text of [digits, `[${digits}]`, `[1,${digits}]`, `{"a":${digits}}`, `{"a":{"b":[ ${digits} ]}}`]) {
      expect(stringifyJson(parseJson(text))).toBe(text.replaceAll(' ', ''));
    }
  });

  it('are plain where JavaScript holds them', () => {
    expect(parseJson('{"a":9007199254740991,"b":0.5,"c":"1.0"}')).toEqual({ a: 9007199254740991, b: 0.5, c: '1.0' });
  });

  it('can be told apart from objects', () => {
    expect(rawNumberText(parseJson('9223372036854775807'))).toBe('9223372036854775807');
    expect(rawNumberText(parseJson('{"rawJSON":"1"}'))).toBeUndefined();
  });
});

describe('documents', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(stringifyJson(parseJson(text))).toBe(text);
      }),
    );
  });

  it('take the last of two equal keys, as kube-apiserver does', () => {
    expect(parseJson('{"a":1,"b":2,"a":3}')).toEqual({ a: 3, b: 2 });
    expect(parseJson('{"a":1.0,"b":2,"a":3.0}')).toHaveProperty('b', 2);
  });

  it.each(['{"__proto__":{"polluted":true}}', '{"__proto__":{"polluted":true},"n":1.0}'])(
    'keep %s as a key of its own',
    (text) => {
      const value = parseJson(text) as Record<string, unknown>;
      expect(Object.hasOwn(value, '__proto__')).toBe(true);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      expect(stringifyJson(value as never)).toBe(text);
    },
  );

  it('may be bytes', () => {
    expect(parseJson(new TextEncoder().encode('{"é":"\u2028"}'))).toEqual({ é: '\u2028' });
  });
});

describe('copies', () => {
  it('share nothing that can change, and lose nothing', () => {
    const text = '{"a":[1.0,{"b":9223372036854775807}],"__proto__":{"x":null}}';
    const value = parseJson(text) as Record<string, unknown>;
    const copy = cloneJson(value as never) as Record<string, unknown>;
    (value['a'] as unknown[]).length = 0;
    expect(stringifyJson(copy as never)).toBe(text);
    expect(copy['x']).toBeUndefined();
  });
});

describe('refusals', () => {
  it.each(['', '{', '[1,]', '{"a":1}x', "{'a':1}", '{"a":01}', '\u00a0{}', 'undefined', '{"a":1.}', '{"a":-}'])(
    '%j is not JSON',
    (text) => {
      expect(() => parseJson(text)).toThrow(JsonSyntaxError);
    },
  );

  it('bytes that are not UTF-8, and a byte order mark', () => {
    expect(() => parseJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow('not valid UTF-8');
    expect(() => parseJson(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))).toThrow('not valid UTF-8');
    expect(() => parseJson(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31))).toThrow(JsonSyntaxError);
    expect(parseJson(Uint8Array.of(0x31))).toBe(1);
  });

  it('nesting beyond the cap, of arrays and objects, but not brackets in strings', () => {
    const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
    expect(() => parseJson(nested(MAX_JSON_DEPTH + 2))).toThrow('nested deeper');
    expect(stringifyJson(parseJson(nested(MAX_JSON_DEPTH)))).toHaveLength(nested(MAX_JSON_DEPTH).length);
    const text = JSON.stringify(['\\"[{'.repeat(5_000), '\\']);
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('tells nothing of the document, which may be a secret', () => {
    expect(() => parseJson('{"password": hunter2}')).toThrow(/^the document is not valid JSON: Unexpected token 'h'$/);
  });
});

describe('readObject', () => {
  it('reads an object with all its digits', () => {
    const read = readObject(Buffer.from('{"a":{"b":12345678901234567890}}'));
    expect(stringifyJson(read)).toBe('{"a":{"b":12345678901234567890}}');
  });

  it.each(['[]', '1', 'null', '"a"', '{', ''])('refuses %j', (text) => {
    expect(() => readObject(text)).toThrow(JsonSyntaxError);
  });
});
