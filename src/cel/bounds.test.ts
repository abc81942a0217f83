import { describe, expect, it } from 'vitest';
import { boundsProblem } from './bounds.ts';

const chain = (times: number, call: (index: number) => string) =>
  Array.from({ length: times }, (_none, index) => call(index)).join('');
const LONG = 'a'.repeat(1_000);

describe('expressions that would end the host are refused', () => {
  it.each([
    ['a text that is filled in with itself', "self.replace('a', self).size() >= 0", /replace by a constant/],
    ['constants that fill in each other', `'${LONG}'.replace('a', '${LONG}').size() >= 0`, /times as long/],
    ['many that grow a little', `self${chain(7, () => ".replace('a', 'aa')")}.size() >= 0`, /times as long/],
    ['a part that may be empty', `self.replace(self, '${LONG}') == ''`, /times as long/],
    ['a part that is empty', `self.replace('', '${LONG}', 5) == ''`, /times as long/],
    [
      'formats of formats',
      `optional.of(self)${chain(4, () => ".optMap(x, '%s%s%s'.format([x, x, x]))")}`,
      /times as long/,
    ],
    ['a format in a loop', "self.l.map(x, '%s'.format([self.s])).size() >= 0", /inside a loop/],
    ['a format that is data', 'self.s.format([1]) == self.s', /constant text/],
    ['a precision', "'%.999999f'.format([1.0]) == ''", /precision/],
    ['optionals in a chain', `optional.of(self)${chain(5, (at) => `.optMap(x${at}, x${at})`)}.hasValue()`, /optMap/],
    ['optionals with a space', `optional.of(self)${chain(5, () => '.optFlatMap (x, x)')}.hasValue()`, /optMap/],
    [
      'maps whose keys are maps',
      `[1]${chain(5, (at) => `.map(a${at}, {a${at}: a${at}})`)}.size() >= 0`,
      /keys of maps/,
    ],
    ['a quantity that is data', 'quantity(self.s).isGreaterThan(quantity("1"))', /with a constant/],
    ['a vast quantity', "quantity('1e99999999').sign() > 0", /short exponent/],
    ['the question whether it is one', "isQuantity('1e99999999')", /short exponent/],
    ['what cannot be read', 'self.', /compilation failed/],
  ])('%s', (_what, expression, problem) => {
    expect(boundsProblem(expression)).toMatch(problem);
  });
});

describe('but not expressions as they are written', () => {
  it.each([
    'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas',
    "self.name.replace('-', '').matches('^[a-z]+$')",
    "self.name.replace('.', '-dot-').size() < 63",
    "'must be at least %d, and is %d'.format([self.min, self.value])",
    "'%s: %s'.format([self.names.map(n, n + '!').join(', '), self.kind])",
    "self.?limits.?cpu.optMap(v, 'is %s'.format([v])).orValue('is not set')",
    'self.items.all(x, self.items.exists_one(y, x.name == y.name))',
    "self.kind in {'a': 1, 'b': 2} && {self.kind: 1}.size() == 1",
    "quantity('1.5Gi').isGreaterThan(quantity('1e3'))",
    'oldSelf.hasValue() ? self == oldSelf.value() : true',
  ])('%s', (expression) => {
    expect(boundsProblem(expression)).toBeUndefined();
  });
});
