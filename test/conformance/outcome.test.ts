import { describe, expect, it } from 'vitest';
import { outcomesOf, readReport, summaryOf } from './outcome.ts';

const spec = (leaf: string, state: string, more: object = {}) => ({
  LeafNodeType: 'It',
  ContainerHierarchyTexts: ['[sig-a] Thing'],
  LeafNodeText: leaf,
  State: state,
  ...more,
});

const REPORT = JSON.stringify([
  {
    SpecReports: [
      { LeafNodeType: 'SynchronizedBeforeSuite', LeafNodeText: '', ContainerHierarchyTexts: null, State: 'passed' },
      spec('works', 'passed'),
      spec('breaks', 'failed', { Failure: { Message: 'wanted 1\ngot 2' } }),
      spec('is another', 'skipped'),
    ],
  },
]);

describe('the report', () => {
  it('has every test that was started, by its full name', () => {
    expect(readReport(REPORT)).toEqual([
      { name: '[sig-a] Thing works', state: 'passed', message: '' },
      { name: '[sig-a] Thing breaks', state: 'failed', message: 'wanted 1\ngot 2' },
    ]);
  });

  it('of a suite that started nothing is empty', () => {
    expect(readReport('[{"SpecReports":null}]')).toEqual([]);
  });

  it('must be one', () => {
    expect(() => readReport('{}')).toThrow('not a list');
  });
});

describe('the outcomes', () => {
  it('are those of the wanted tests, and one that did not run has not passed', () => {
    const wanted = ['[sig-a] Thing works', '[sig-a] Thing is another'];
    expect(outcomesOf(wanted, readReport(REPORT)).map(({ state }) => state)).toEqual(['passed', 'not run']);
  });

  it('are told with each failure, and how many passed of how many', () => {
    expect(summaryOf(readReport(REPORT))).toBe('failed: [sig-a] Thing breaks\n    wanted 1\n    got 2\n1 of 2');
    expect(summaryOf([])).toBe('0 of 0');
  });
});
