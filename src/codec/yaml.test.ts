import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseAny } from 'yaml';
import type { JsonValue } from '../k8s/types.ts';
import { JsonSyntaxError, parseJson, stringifyJson } from './json.ts';
import { MAX_YAML_CHARACTERS, parseYaml, readYaml } from './yaml-read.ts';
import { writeYaml } from './yaml-write.ts';

/** `*a,*a,*a` */
function aliases(name: string, count: number): string {
  return new Array(count).fill(`*${name}`).join(',');
}

describe('parseYaml', () => {
  // As kube-apiserver reads it: YAML 1.1, but times are text.
  it.each([
    ['a: yes', { a: true }],
    ['a: off', { a: false }],
    ['a: "yes"', { a: 'yes' }],
    ['a: 0777', { a: 511 }],
    ['a: 0x1f', { a: 31 }],
    ['a: 1e3', { a: 1000 }],
    ['a: 2001-01-01', { a: '2001-01-01' }],
    ['a: 12:30', { a: '12:30' }],
    ['a: ~', { a: null }],
    ['a:', { a: null }],
    ['1: x\ntrue: z', { '1': 'x', true: 'z' }],
    ['a: &x [1]\nb: *x', { a: [1], b: [1] }],
    ['a: {<<: {b: 1}, c: 2}', { a: { b: 1, c: 2 } }],
    ['a: {<<: {b: 1}, <<: {c: 2}}', { a: { b: 1, c: 2 } }],
    ['a: {b: 1}\nc: {b: 1}', { a: { b: 1 }, c: { b: 1 } }],
    ['- 1\n- a', [1, 'a']],
    ['%YAML 1.2\n---\na: yes', { a: 'yes' }],
  ])('%j', (text, value) => {
    expect(parseYaml(text)).toEqual(value);
  });

  it('keeps the digits of large integers', () => {
    expect(stringifyJson(parseYaml('a: 12345678901234567890'))).toBe('{"a":12345678901234567890}');
  });

  it.each([
    ['', 'empty'],
    ['# only a comment', 'empty'],
    ['a: 1\n---\nb: 2', 'only one document'],
    ['a: [', 'line 1'],
    ['a: 1\nb: 2\na: 2', 'yaml: line 3: key "a" already set in map'],
    ['{a: 1, "a": 2}', 'already set'],
    ['1: a\n"1": b', 'already set'],
    ['a:\n- b: {c: 1, c: 2}', 'already set'],
    ['---\n'.repeat(100), 'only one document'],
    [`a: &a [${'x,'.repeat(90_000)}]\nb: [${'*a,'.repeat(90)}]`, 'aliases make too much'],
    ['? [a]\n: b', 'strings'],
    ['a: !!binary aGVsbG8=', 'tag'],
    ['a: !foo bar', 'tag'],
    ['a: !!set {x}', 'tag'],
    ['a: .inf', 'no JSON form'],
    ['a: .nan', 'no JSON form'],
    ['a: *nowhere', 'alias'],
    ['\ta: 1', 'line 1'],
    [`a: &a [x]\nc: &c [${aliases('a', 11)}]\ne: [${aliases('c', 11)}]`, 'alias'],
    ['{a: '.repeat(2_000), 'nested deeper than 1000 levels'],
    ['['.repeat(20_000), 'nested deeper than 1000 levels'],
    ['["]", '.repeat(40_000), 'nested deeper than 1000 levels'],
    ['? '.repeat(262_000), 'nested deeper than 1000 levels'],
    [`a: ${'x'.repeat(MAX_YAML_CHARACTERS)}`, 'send this document as JSON'],
  ])('refuses %.40j', (text, message) => {
    expect(() => parseYaml(text)).toThrow(JsonSyntaxError);
    expect(() => parseYaml(text)).toThrow(message);
  });

  it('tells of keys that stand twice, of which the last counts', () => {
    expect(readYaml('a: 1\nb:\n- c: 1\n- c: 2\n  d: 1\n  c: 3\na: 4')).toEqual({
      document: { a: 4, b: [{ c: 1 }, { c: 3, d: 1 }] },
      repeated: [
        { path: ['a'], line: 7, after: 2 },
        { path: ['b', 1, 'c'], line: 6, after: 2 },
      ],
    });
    expect(readYaml('a: &x {b: 1}\nc: {<<: *x, b: 2}').repeated).toEqual([]);
  });

  it('does not quote the document in its message', () => {
    expect(() => parseYaml('password: [hunter2')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
    );
  });
});

describe('writeYaml', () => {
  it('writes as kube-apiserver does', () => {
    const object = {
      kind: 'Pod',
      metadata: { name: 'a', creationTimestamp: '2026-11-30T14:28:53Z', labels: {}, finalizers: [] },
      spec: {
        containers: [{ name: 'x', args: ['a', '--b=c', 'yes'], ports: [{ containerPort: 80 }] }],
        nested: [[1, [2]]],
      },
      ok: true,
      none: null,
    };
    expect(writeYaml(object)).toBe(`kind: Pod
metadata:
  creationTimestamp: "2026-11-30T14:28:53Z"
  finalizers: []
  labels: {}
  name: a
none: null
ok: true
spec:
  containers:
  - args:
    - a
    - "--b=c"
    - "yes"
    name: x
    ports:
    - containerPort: 80
  nested:
  - - 1
    - - 2
`);
  });

  it.each([
    '',
    ' ',
    'a: b',
    '- a',
    '#',
    'a #b',
    '1',
    '0x1',
    '1_0',
    '1:2',
    'y',
    'NO',
    'null',
    '~',
    '=',
    '<<',
    '.inf',
    '2001-01-01',
    'a\nb',
    'a\u2028b',
    '\u0085',
    '\ufeff',
    '"',
    "'",
    '\\',
    '!a',
    '&a',
    '*a',
    '%a',
    '@a',
    '`a',
    'a:',
    'a\tb',
    '\u{1f600}',
    '\ud800',
    'a ',
    ' a',
    '---',
    '...',
  ])('a string that is %j stays one', (text) => {
    for (const version of ['1.1', '1.2'] as const) {
      expect(parseAny(writeYaml({ [text]: text, list: [text] }), { version, stringKeys: true })).toEqual({
        [text]: text,
        list: [text],
      });
    }
  });

  it('is read back as it was, by a reader of either version', () => {
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        // A whole number that is not safe is read with all its digits, not as a double.
        fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n)),
        fc.string({ unit: 'binary' }),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('tree'), { maxKeys: 4 }) as fc.Arbitrary<JsonValue>,
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const text = writeYaml(value);
        const plain = JSON.parse(JSON.stringify(value));
        expect(parseAny(text, { version: '1.2', stringKeys: true })).toEqual(plain);
        expect(parseAny(text, { version: '1.1', stringKeys: true })).toEqual(plain);
        expect(parseYaml(text)).toEqual(plain);
      }),
    );
  });

  it('writes the digits of numbers as they were', () => {
    expect(writeYaml(parseJson('{"a":12345678901234567890,"b":[1.50]}'))).toBe('a: 12345678901234567890\nb:\n- 1.50\n');
  });
});
