/**
 * IP addresses and ranges as Kubernetes takes them in its newer kinds: without leading zeros, in canonical form.
 * @see k8s.io/apimachinery pkg/util/validation/ip.go at v0.36
 */
import { isIP } from 'node:net';

const LEADING_ZERO = /(^|\.)0\d/;
const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const NO_RANGE = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** What is wrong with an address; undefined for a good one. */
export function ipProblem(address: string): string | undefined {
  const plain = withoutZeros(address);
  if (isIP(plain) === 0 || address.includes('%')) return NO_ADDRESS;
  if (plain !== address) return 'must not have leading 0s';
  if (isMapped(address)) return 'must not be an IPv4-mapped IPv6 address';
  const canonical = canonicalIp(address);
  return canonical === address ? undefined : `must be in canonical form ("${canonical}")`;
}

/** What is wrong with a range `address/bits`; undefined for a good one. */
export function cidrProblem(range: string): string | undefined {
  const [address = '', bits = '', ...more] = range.split('/');
  const plain = withoutZeros(address);
  const family = isIP(plain);
  if (family === 0 || more.length > 0 || address.includes('%') || !/^\d{1,3}$/.test(bits)) return NO_RANGE;
  const length = Number(bits);
  if (length > (family === 4 ? 32 : 128)) return NO_RANGE;
  if (plain !== address || String(length) !== bits) return 'must not have leading 0s in IP or prefix length';
  if (isMapped(address)) return 'must not have an IPv4-mapped IPv6 address';
  const number = toNumber(address, family);
  const host = (1n << BigInt((family === 4 ? 32 : 128) - length)) - 1n;
  if ((number & host) !== 0n) return 'must not have bits set beyond the prefix length';
  const canonical = `${canonicalIp(address)}/${length}`;
  return canonical === range ? undefined : `must be in canonical form ("${canonical}")`;
}

/** 4, 6, or 0 for what is no range. */
export function cidrFamily(range: string): number {
  return isIP(range.split('/')[0] ?? '');
}

function withoutZeros(address: string): string {
  return !address.includes(':') && LEADING_ZERO.test(address) ? address.replace(/(^|\.)0+(?=\d)/g, '$1') : address;
}

function isMapped(address: string): boolean {
  return address.includes(':') && toNumber(address, 6) >> 32n === 0xffffn;
}

/** As RFC 5952 has it. */
function canonicalIp(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

function toNumber(address: string, family: number): bigint {
  if (family === 4) return address.split('.').reduce((sum, part) => (sum << 8n) + BigInt(part), 0n);
  const [head = '', tail] = canonicalIp(address).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const all = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return all.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}
