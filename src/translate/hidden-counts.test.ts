import { describe, expect, it } from 'vitest';
import { parseJson } from '../codec/json.ts';
import { countDown, countsInMessage as countsIn, countsInCell, countUp } from './hidden-counts.ts';
import { Renames } from './renames.ts';

const countsInMessage = (text: string) => countsIn(text, { renames: new Renames() });

describe('a count of ConfigMaps', () => {
  it.each([
    ['5', '6', '5'],
    ['0', '1', '0'],
    [' 7 ', '8', '7'],
    ['1k', '1001', '1k'],
    ['999', '1000', '999'],
    ['1000', '1001', '1k'],
    ['+5', '+6', '+5'],
    ['05', '06', '05'],
    ['5.', '6.', '5.'],
    ['+1000', '+1001', '1k'],
    ['00', '1', '0'],
    // In units that one more does not fit in: the same count, written plainly.
    ['1Ki', '1025', '1024'],
    ['1e3', '1001', '1k'],
    ['9007199254740993', '9007199254740994', '9007199254740993'],
    ['9223372036854775805', '9223372036854775806', '9223372036854775805'],
    // Kubernetes keeps no more than this, so the last two look alike.
    ['9223372036854775806', '9223372036854775807', '9223372036854775807'],
    ['9223372036854775807', '9223372036854775807', '9223372036854775807'],
  ])('of %j is %j upstream, and shown as %j', (tenant, upstream, shown) => {
    expect(countUp(tenant)).toBe(upstream);
    expect(countDown(upstream)).toBe(shown);
  });

  it('may be a number', () => {
    expect(countUp(5)).toBe('6');
    expect(countUp(parseJson(Buffer.from('90071992547409930')))).toBe('90071992547409931');
  });

  it('is never shown below zero', () => {
    expect(countDown('0')).toBe('0');
  });

  it.each(['-1', '1.5', '500m', 'many', '', null, true, {}])(
    'that is none stays for the host to refuse: %j',
    (amount) => {
      expect(countUp(amount)).toBe(amount);
      expect(countDown(amount)).toBe(amount);
    },
  );
});

describe('what a quota is exceeded with', () => {
  const refused = 'configmaps "x" is forbidden: exceeded quota: q, requested:';

  it.each([
    [
      'configmaps=1, used: configmaps=4, limited: configmaps=4',
      'configmaps=1, used: configmaps=3, limited: configmaps=3',
    ],
    [
      'configmaps=1,count/configmaps=1, used: configmaps=4,count/configmaps=5, limited: configmaps=4,count/configmaps=5',
      'configmaps=1,count/configmaps=1, used: configmaps=3,count/configmaps=4, limited: configmaps=3,count/configmaps=4',
    ],
    [
      'resourcequotas=1,count/limitranges=1, used: resourcequotas=2,count/limitranges=1, limited: resourcequotas=2,count/limitranges=1',
      'resourcequotas=1,count/limitranges=1, used: resourcequotas=1,count/limitranges=0, limited: resourcequotas=1,count/limitranges=0',
    ],
    ['secrets=1, used: secrets=4, limited: secrets=4', 'secrets=1, used: secrets=4, limited: secrets=4'],
  ])('%s is told as %s', (upstream, tenant) => {
    expect(countsInMessage(`${refused} ${upstream}`)).toBe(`${refused} ${tenant}`);
  });

  it('is told as it is for the quota of the policy, which counts what is on the host', () => {
    const text = (name: string, count: number) =>
      `forbidden: exceeded quota: ${name}, requested: configmaps=1, used: configmaps=${count}, limited: configmaps=${count}`;
    expect(countsInMessage(text('kubeveil.dev', 10))).toBe(text('kubeveil.dev', 10));
    expect(countsInMessage(text('kubeveil.devs', 10))).toBe(text('kubeveil.devs', 9));
    expect(countsInMessage(`${text('kubeveil.dev', 10)}; ${text('q', 4)}`)).toBe(
      `${text('kubeveil.dev', 10)}; ${text('q', 3)}`,
    );
  });

  it('is the host’s to say: other texts stay', () => {
    const text = 'admission webhook "w" denied the request: used: configmaps=3, limited: configmaps=3';
    expect(countsInMessage(text)).toBe(text);
  });
});

describe('the cell of a quota', () => {
  it('counts what is shown', () => {
    expect(countsInCell('configmaps: 2/6, count/configmaps: 2/1001, pods: 0/3, secrets: 1/2')).toBe(
      'configmaps: 1/5, count/configmaps: 1/1k, pods: 0/3, secrets: 1/2',
    );
    expect(countsInCell('count/configmaps.example.com: 2/6')).toBe('count/configmaps.example.com: 2/6');
  });
});
