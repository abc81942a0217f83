/**
 * Amounts as Kubernetes writes them: `1.5Gi`, `500m`, `2e3`.
 * @see k8s.io/apimachinery pkg/api/resource/quantity.go at v0.36
 */

/** An amount is kept in units of 10^-9, the finest that Kubernetes keeps. */
export const NANOS = 1_000_000_000n;
/** Nobody writes more digits in earnest, and reading them takes time. */
const MAX_LENGTH = 1_000;
const SYNTAX = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]?|[eE][+-]?\d{1,3})$/;
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
const KIBI = 1024n;

/** In nanos; undefined for what is none. Beyond the finest unit it is rounded away from zero, as Kubernetes does. */
export function parseQuantity(text: string): bigint | undefined {
  const match = text.length > MAX_LENGTH ? null : SYNTAX.exec(text);
  if (match === null) return undefined;
  const [, sign, number = '', suffix = ''] = match;
  const [whole = '', fraction = ''] = number.split('.');
  const digits = BigInt(`${whole}${fraction}`);
  const binary = BINARY[suffix];
  const exponent = (binary === undefined ? decimalExponent(suffix) : 0) + 9 - fraction.length;
  const scaled = digits * (binary === undefined ? 1n : 1n << binary);
  const size = exponent >= 0 ? scaled * 10n ** BigInt(exponent) : divideUp(scaled, 10n ** BigInt(-exponent));
  return sign === '-' ? -size : size;
}

/** The amount as the API server gives it back: in the same family of units, and the largest that holds it whole. */
export function canonicalQuantity(text: string): string {
  const nanos = parseQuantity(text);
  if (nanos === undefined) return text;
  if (nanos === 0n) return '0';
  if (/i$/.test(text)) {
    const isWhole = nanos % NANOS === 0n;
    if (isWhole && magnitude(nanos) >= KIBI * NANOS) return inBinary(nanos / NANOS);
    return inDecimal(nanos, (exponent) => decimalSuffix(exponent));
  }
  const isExponent = /[eE][+-]?\d/.test(text);
  return inDecimal(nanos, isExponent ? (exponent) => (exponent === 0 ? '' : `e${exponent}`) : decimalSuffix);
}

/** The same rounded up to a whole number, as it is compared where fractions do not count. */
export function wholeQuantity(nanos: bigint): bigint {
  return nanos >= 0n ? divideUp(nanos, NANOS) : -divideUp(-nanos, NANOS);
}

function decimalExponent(suffix: string): number {
  return /^[eE][+-]?\d/.test(suffix) ? Number(suffix.slice(1)) : (DECIMAL[suffix] ?? 0);
}

function decimalSuffix(exponent: number): string {
  return Object.entries(DECIMAL).find(([, value]) => value === exponent)?.[0] ?? '';
}

function inDecimal(nanos: bigint, suffixOf: (exponent: number) => string): string {
  let [rest, exponent] = [nanos, -9];
  while (exponent < 18 && rest % 1_000n === 0n) [rest, exponent] = [rest / 1_000n, exponent + 3];
  return `${rest}${suffixOf(exponent)}`;
}

function inBinary(whole: bigint): string {
  let [rest, suffix] = [whole, ''];
  for (const next of Object.keys(BINARY)) {
    if (rest % KIBI !== 0n) break;
    [rest, suffix] = [rest / KIBI, next];
  }
  return `${rest}${suffix}`;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
