/**
 * Doubles as `format` prints them: exact, halves to the even digit, in the way of English. Some of it is odd, and kept: the
 * precision of `%e` is a width, and both count no further than the fields that Go's library has for them.
 *
 * @see golang.org/x/text message/print.go and internal/number at v0.31, as cel-go v0.26 uses them (ext/formatting.go)
 */

/** Of a scientific number, digits behind the point. */
const SCIENTIFIC_DIGITS = 6;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** A number with more than this before its last digit is not read. */
const MOST_BEFORE_LAST = 1_000_000;
const UNREAD = '%!(NOVERB)';

/** `%.2f`: 1234.5 is `1,234.50`. */
export function printFixed(number: number, precision: number): string {
  if (isUnread(precision)) return UNREAD;
  if (!Number.isFinite(number)) return special(number);
  const text = fixed(number, precision % 256);
  return text.replace(/^(-?)(\d+)/, (_all, sign, whole) => sign + whole.replace(/\B(?=(?:\d{3})+$)/g, ','));
}

/** `%e`: 1234.5 is `1.234500×10⁰³`. */
export function printScientific(number: number, width: number): string {
  if (isUnread(width)) return UNREAD;
  return (Number.isFinite(number) ? scientific(number) : special(number)).padStart(width % 65_536);
}

/** As Go prints it, without commas. */
export function fixed(number: number, digits: number): string {
  const text = String(scaled(number, digits)).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  return `${number < 0 ? '-' : ''}${whole}${digits === 0 ? '' : `.${text.slice(text.length - digits)}`}`;
}

function scientific(number: number): string {
  let exponent = number === 0 ? 0 : Number(number.toExponential(20).split('e')[1]);
  let text = String(scaled(number, SCIENTIFIC_DIGITS - exponent)).padStart(SCIENTIFIC_DIGITS + 1, '0');
  // 9.9999999 has become ten.
  if (text.length > SCIENTIFIC_DIGITS + 1) [text, exponent] = [text.slice(0, -1), exponent + 1];
  const power = String(Math.abs(exponent))
    .padStart(2, '0')
    .replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)] ?? '');
  return `${number < 0 ? '-' : ''}${text[0]}.${text.slice(1)}×10${exponent < 0 ? '⁻' : ''}${power}`;
}

/** The size of a number, times ten to a power, as the nearest whole number; of two, the even one. */
function scaled(number: number, power: number): bigint {
  const { mantissa, exponent } = partsOf(number);
  const above = mantissa * 2n ** BigInt(Math.max(exponent, 0)) * 10n ** BigInt(Math.max(power, 0));
  const below = 2n ** BigInt(Math.max(-exponent, 0)) * 10n ** BigInt(Math.max(-power, 0));
  const whole = above / below;
  const twice = (above % below) * 2n;
  return twice > below || (twice === below && whole % 2n === 1n) ? whole + 1n : whole;
}

/** A finite number without its sign is mantissa times two to the exponent. */
function partsOf(number: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return exponent === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: exponent - 1075 };
}

function isUnread(count: number): boolean {
  return Math.floor(count / 10) > MOST_BEFORE_LAST;
}

function special(number: number): string {
  return Number.isNaN(number) ? 'NaN' : number > 0 ? '∞' : '-∞';
}
