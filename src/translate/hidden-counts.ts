/**
 * Counts of ConfigMaps in a ResourceQuota. In each namespace of a tenant the host counts one that is not shown, its own
 * `kube-root-ca.crt`; so upstream a quota allows one more, and what it allows and what is used are shown as one less.
 *
 *   hard: {configmaps: "5"}, used: {configmaps: "1"}   <->   hard: {configmaps: "6"}, used: {configmaps: "2"}
 *
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-on-object-count
 */
import { rawNumberText } from '../codec/json.ts';
import { canonicalQuantity, NANOS, parseQuantity } from '../k8s/quantity.ts';
import type { JsonValue } from '../k8s/types.ts';

/** Keys of a quota whose amounts are not the same upstream. */
const COUNTS_WITH_HIDDEN: readonly string[] = ['configmaps', 'count/configmaps'];
const HIDDEN = 1n;
/** The largest whole amount that Kubernetes keeps; what is larger, it takes for this. */
const MAX = 2n ** 63n - 1n;

/** What is no count is left as it is, for the host to refuse. */
export function countUp(amount: JsonValue): JsonValue {
  const count = countOf(amount);
  return count === undefined || count >= MAX ? amount : String(count + HIDDEN);
}

export function countDown(amount: JsonValue): JsonValue {
  const count = countOf(amount);
  if (count === undefined || count >= MAX) return amount;
  return canonicalQuantity(String(count > HIDDEN ? count - HIDDEN : 0n));
}

const NUMBER = '[^,: /]+';
const NAMES = COUNTS_WITH_HIDDEN.join('|');
/** `exceeded quota: q, requested: configmaps=1, used: configmaps=3, limited: configmaps=3` */
const EXCEEDED = /(exceeded quota: [^, ]+, requested: [^: ]+, used: )([^: ]+)(, limited: )([^: ]+)/g;
const ENTRY = new RegExp(`(^|,)(${NAMES})=(${NUMBER})`, 'g');
/** `count/configmaps: 2/6, pods: 0/3` */
const CELL_ENTRY = new RegExp(`(^|, )(${NAMES}): (${NUMBER})/(${NUMBER})`, 'g');

/** What a request is refused with. */
export function countsInMessage(text: string): string {
  const entries = (list: string) =>
    list.replaceAll(ENTRY, (_all, before, name, amount) => `${before}${name}=${countDown(amount)}`);
  return text.replaceAll(
    EXCEEDED,
    (_all, requested, used, limited, hard) => requested + entries(used) + limited + entries(hard),
  );
}

/** What `kubectl get quota` prints. */
export function countsInCell(cell: string): string {
  return cell.replaceAll(
    CELL_ENTRY,
    (_all, before, name, used, hard) => `${before}${name}: ${countDown(used)}/${countDown(hard)}`,
  );
}

function countOf(amount: JsonValue): bigint | undefined {
  const text = typeof amount === 'string' ? amount.trim() : (rawNumberText(amount) ?? numberText(amount));
  const nanos = text === undefined ? undefined : parseQuantity(text);
  return nanos === undefined || nanos < 0n || nanos % NANOS !== 0n ? undefined : nanos / NANOS;
}

function numberText(amount: JsonValue): string | undefined {
  return typeof amount === 'number' ? String(amount) : undefined;
}
