/**
 * IP addresses and networks as numbers.
 * @see Go's net/netip, whose readings Kubernetes goes by
 */
import { goQuote } from '../lib/go-quote.ts';

export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

export interface Network {
  readonly address: Address;
  readonly prefix: number;
}

const FULL = (1n << 128n) - 1n;

/** Undefined for what is no address. Zones are no part of one here. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parse6(text) : parse4(text);
}

function parse4(text: string): Address | undefined {
  const parts = text.split('.');
  // A leading zero could mean octal, so there is none.
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return { bits: 32, value: parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n) };
}

/** What is wrong with a text that is no address, in Go's words where it begins as an IPv4 address. */
export function addressProblem(text: string): string {
  const first = /[.:%]/.exec(text)?.[0];
  if (first === '%') return 'missing IPv6 address';
  if (first !== '.') return 'unable to parse IP';
  const odd = /[^0-9.]/.exec(text);
  const parts = (odd === null ? text : text.slice(0, odd.index)).split('.');
  for (const [index, part] of parts.entries()) {
    if (/^0\d/.test(part)) return 'IPv4 field has octet with leading zero';
    if (Number(part) > 255) return 'IPv4 field has value >255';
    const isLast = index === parts.length - 1;
    if (part === '' && !(isLast && odd !== null))
      return `IPv4 field must have at least one digit (at ${goQuote(text)})`;
  }
  if (odd !== null) return `unexpected character (at ${goQuote(text.slice(odd.index))})`;
  return parts.length > 4 ? 'IPv4 address too long' : 'IPv4 address too short';
}

function parse6(text: string): Address | undefined {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const left = groups(head, tail === undefined);
  const right = tail === undefined ? [] : groups(tail, true);
  if (left === undefined || right === undefined) return undefined;
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...left, ...Array.from({ length: missing }, () => 0), ...right];
  return { bits: 128, value: all.reduce((value, group) => (value << 16n) | BigInt(group), 0n) };
}

/** 16-bit groups; the last may be written as an IPv4 address. */
function groups(text: string, isLast: boolean): number[] | undefined {
  if (text === '') return [];
  const found: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const embedded = isLast && index === parts.length - 1 && part.includes('.') ? parse4(part) : undefined;
    if (embedded !== undefined) found.push(Number(embedded.value >> 16n), Number(embedded.value & 0xffffn));
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) found.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return found;
}

/** `::ffff:1.2.3.4` */
export function isMapped({ bits, value }: Address): boolean {
  return bits === 128 && value >> 32n === 0xffffn;
}

/** `10.0.0.0/8`; undefined for what is none. */
export function parseNetwork(text: string): Network | undefined {
  const slash = text.lastIndexOf('/');
  const digits = text.slice(slash + 1);
  const address = slash === -1 ? undefined : parseAddress(text.slice(0, slash));
  if (address === undefined || !/^(0|[1-9]\d{0,2})$/.test(digits)) return undefined;
  const prefix = Number(digits);
  return prefix <= address.bits ? { address, prefix } : undefined;
}

export function masked({ address, prefix }: Network): Network {
  const mask = (FULL << BigInt(address.bits - prefix)) & ((1n << BigInt(address.bits)) - 1n);
  return { address: { ...address, value: address.value & mask }, prefix };
}

export function contains({ address, prefix }: Network, { bits, value }: Address): boolean {
  const shift = BigInt(address.bits - prefix);
  return bits === address.bits && value >> shift === address.value >> shift;
}

/** In its canonical form. */
export function formatAddress({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const all = Array.from({ length: 8 }, (_none, index) => Number((value >> BigInt(112 - 16 * index)) & 0xffffn));
  const { start, length } = longestZeros(all);
  const hex = all.map((group) => group.toString(16));
  if (length < 2) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

function longestZeros(all: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < all.length; start += 1) {
    let length = 0;
    while (all[start + length] === 0) length += 1;
    if (length > best.length) best = { start, length };
  }
  return best;
}
