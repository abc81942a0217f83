/**
 * IP addresses and ranges as Kubernetes takes them in its newer kinds: without leading zeros, in canonical form.
 * @see k8s.io/apimachinery pkg/util/validation/ip.go at v0.36
 */
import { formatAddress, isMapped, masked, parseAddress } from './addresses.ts';

const LEADING_ZERO = /(^|\.)0\d/;
const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const NO_RANGE = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** What is wrong with an address; undefined for a good one. */
export function ipProblem(address: string): string | undefined {
  const plain = withoutZeros(address);
  const parsed = parseAddress(plain);
  if (parsed === undefined) return NO_ADDRESS;
  if (plain !== address) return 'must not have leading 0s';
  if (isMapped(parsed)) return 'must not be an IPv4-mapped IPv6 address';
  const canonical = formatAddress(parsed);
  return canonical === address ? undefined : `must be in canonical form ("${canonical}")`;
}

/** What is wrong with a range `address/bits`; undefined for a good one. */
export function cidrProblem(range: string): string | undefined {
  const [text = '', bits = '', ...more] = range.split('/');
  const plain = withoutZeros(text);
  const address = parseAddress(plain);
  const prefix = Number(bits);
  if (address === undefined || more.length > 0 || !/^\d{1,3}$/.test(bits) || prefix > address.bits) return NO_RANGE;
  if (plain !== text || String(prefix) !== bits) return 'must not have leading 0s in IP or prefix length';
  if (isMapped(address)) return 'must not have an IPv4-mapped IPv6 address';
  if (masked({ address, prefix }).address.value !== address.value)
    return 'must not have bits set beyond the prefix length';
  const canonical = `${formatAddress(address)}/${prefix}`;
  return canonical === range ? undefined : `must be in canonical form ("${canonical}")`;
}

/** 4, 6, or 0 for what is no range. */
export function cidrFamily(range: string): number {
  const address = parseAddress(range.split('/')[0] ?? '');
  return address === undefined ? 0 : address.bits === 32 ? 4 : 6;
}

function withoutZeros(address: string): string {
  return !address.includes(':') && LEADING_ZERO.test(address) ? address.replace(/(^|\.)0+(?=\d)/g, '$1') : address;
}
