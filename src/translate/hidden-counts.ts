/**
 * Counts in a ResourceQuota. Of some kinds the host counts in each namespace of a tenant one that is not shown
 * (kinds/hidden-counts.ts); so upstream a quota allows one more, and what it allows and what is used are shown as one less.
 *
 *   hard: {configmaps: "5"}, used: {configmaps: "1"}   <->   hard: {configmaps: "6"}, used: {configmaps: "2"}
 *
 * The largest amount that Kubernetes keeps stays, since it keeps none that is more: what is one less, is shown as it too.
 * The quota of a tenant's policy is the operator's, and what it counts is told as it is.
 *
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-on-object-count
 */
import { rawNumberText } from '../codec/json.ts';
import { canonicalQuantity, NANOS, parseQuantity } from '../k8s/quantity.ts';
import type { JsonValue } from '../k8s/types.ts';
import { COUNTS_WITH_HIDDEN } from '../kinds/hidden-counts.ts';
import { GUARD_OBJECT } from '../tenancy/host-names.ts';
import type { Renames } from './renames.ts';

const HIDDEN = 1n;
/** The largest whole amount that Kubernetes keeps; what is larger, it takes for this. */
const MAX = 2n ** 63n - 1n;

/** From here on the host may take a count for a fraction, which it looks for in thousandths, and quote it. */
const VAST = MAX / 1_000n;

/** What is no count is left as it is, for the host to refuse. @param noted gets those that the host may quote */
export function countUp(amount: JsonValue, noted?: { readonly scope: { readonly renames: Renames } }): JsonValue {
  const text = textOf(amount);
  const count = countOf(amount);
  if (count === undefined || count >= MAX) return amount;
  const upstream = writtenAs(text ?? '', count + HIDDEN);
  if (count >= VAST) noted?.scope.renames.note(canonicalQuantity(upstream), canonicalQuantity(text ?? upstream));
  return upstream;
}

export function countDown(amount: JsonValue): JsonValue {
  const count = countOf(amount);
  if (count === undefined || count >= MAX) return amount;
  const shown = count > HIDDEN ? count - HIDDEN : 0n;
  const canonical = canonicalQuantity(String(shown));
  return canonical === String(shown) && shown > 0n ? writtenAs(textOf(amount) ?? '', shown) : canonical;
}

/** `+5`, `05`, `5.`: the API server leaves these as they were written. */
const DIGITS = /^([+]?0*)([1-9]\d*)([.]?)$/;

/** Another count, written as the text is. */
function writtenAs(text: string, count: bigint): string {
  const [, before = '', , after = ''] = DIGITS.exec(text) ?? [];
  return `${before}${count}${after}`;
}

const NUMBER = '[^,: /]+';
const NAMES = COUNTS_WITH_HIDDEN.join('|');
/** `exceeded quota: q, requested: configmaps=1, used: configmaps=3, limited: configmaps=3` */
const EXCEEDED = /(exceeded quota: ([^, ]+), requested: [^: ]+, used: )([^: ]+)(, limited: )([^: ]+)/g;
const ENTRY = new RegExp(`(^|,)(${NAMES})=(${NUMBER})`, 'g');
/** `count/configmaps: 2/6, pods: 0/3` */
const CELL_ENTRY = new RegExp(`(^|, )(${NAMES}): (${NUMBER})/(${NUMBER})`, 'g');

/** `spec.hard[configmaps]: Invalid value: "1152921504606846977": must be an integer`, or without the field, in a cause. */
const INVALID = /(Invalid value: ")(\d+[kMGTPE]?)(?=": must be an integer)/g;

/** What a request is refused with. */
export function countsInMessage(text: string, { renames }: { readonly renames: Renames }): string {
  const entries = (list: string) =>
    list.replaceAll(ENTRY, (_all, before, name, amount) => `${before}${name}=${countDown(amount)}`);
  return text
    .replaceAll(EXCEEDED, (all, requested, name, used, limited, hard) =>
      name === GUARD_OBJECT ? all : requested + entries(used) + limited + entries(hard),
    )
    .replaceAll(INVALID, (_all, before, count) => before + (renames.get(count) ?? count));
}

/** What `kubectl get quota` prints. */
export function countsInCell(cell: string): string {
  return cell.replaceAll(
    CELL_ENTRY,
    (_all, before, name, used, hard) => `${before}${name}: ${countDown(used)}/${countDown(hard)}`,
  );
}

function countOf(amount: JsonValue): bigint | undefined {
  const text = textOf(amount);
  const nanos = text === undefined ? undefined : parseQuantity(text);
  return nanos === undefined || nanos < 0n || nanos % NANOS !== 0n ? undefined : nanos / NANOS;
}

function textOf(amount: JsonValue): string | undefined {
  if (typeof amount === 'string') return amount.trim();
  return rawNumberText(amount) ?? (typeof amount === 'number' ? String(amount) : undefined);
}
