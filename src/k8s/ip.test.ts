import { describe, expect, it } from 'vitest';
import { cidrFamily, cidrProblem, ipProblem } from './ip.ts';

describe('ipProblem', () => {
  it.each([
    ['10.9.8.7', undefined],
    ['2001:db8::ffff', undefined],
    ['::', undefined],
    ['', 'valid IP address'],
    ['10.9.8', 'valid IP address'],
    ['fe80::1%eth0', 'valid IP address'],
    ['10.09.8.7', 'leading 0s'],
    ['::ffff:10.9.8.7', 'IPv4-mapped'],
    ['2001:DB8::1', 'canonical form ("2001:db8::1")'],
    ['2001:db8:0:0::1', 'canonical form ("2001:db8::1")'],
  ])('of %s', (address, problem) => {
    expect(ipProblem(address)).toEqual(problem === undefined ? undefined : expect.stringContaining(problem));
  });
});

describe('cidrProblem', () => {
  it.each([
    ['10.9.8.0/24', undefined],
    ['0.0.0.0/0', undefined],
    ['10.9.8.7/32', undefined],
    ['2001:db8::/64', undefined],
    ['::/0', undefined],
    ['10.9.8.0', 'valid CIDR'],
    ['10.9.8.0/33', 'valid CIDR'],
    ['10.9.8.0/24/1', 'valid CIDR'],
    ['10.9.8.0/x', 'valid CIDR'],
    ['10.9.08.0/24', 'leading 0s'],
    ['10.9.8.0/024', 'leading 0s'],
    ['10.9.8.7/24', 'bits set beyond'],
    ['2001:db8::1/64', 'bits set beyond'],
    ['::ffff:10.0.0.0/104', 'IPv4-mapped'],
    ['2001:DB8::/64', 'canonical form ("2001:db8::/64")'],
  ])('of %s', (range, problem) => {
    expect(cidrProblem(range)).toEqual(problem === undefined ? undefined : expect.stringContaining(problem));
  });

  it('tells the family', () => {
    expect(['10.0.0.0/8', '::/0', 'x'].map(cidrFamily)).toEqual([4, 6, 0]);
  });
});
