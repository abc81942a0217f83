/**
 * `quantity('1.5Gi')`
 * @see k8s.io/apiserver pkg/cel/library/quantity.go, k8s.io/apimachinery pkg/api/resource/quantity.go at v0.36
 */
import { NANOS, parseQuantity } from '../../k8s/quantity.ts';
import { textCost } from '../cost.ts';
import { declare, member, overload } from '../declare.ts';
import type { Library } from '../environment.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { BOOL, DOUBLE, INT, STRING, structOf } from '../types.ts';
import { Opaque } from '../values.ts';

const QUANTITY = structOf('kubernetes.Quantity');
const INT_MAX = 2n ** 63n - 1n;
const FORMAT_ERROR = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

class Quantity extends Opaque {
  readonly typeName = QUANTITY.name;
  /** In units of 10^-9. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  override equals(other: Opaque): boolean {
    return other instanceof Quantity && other.nanos === this.nanos;
  }
}

const compareTo = (a: Quantity, b: Quantity) => (a.nanos < b.nanos ? -1n : a.nanos > b.nanos ? 1n : 0n);
const isInteger = ({ nanos }: Quantity) =>
  nanos % NANOS === 0n && nanos / NANOS <= INT_MAX && nanos / NANOS >= -INT_MAX - 1n;

function parse(text: string): Quantity {
  const nanos = parseQuantity(text);
  if (nanos === undefined) throw new EvaluationError(FORMAT_ERROR);
  return new Quantity(nanos);
}

function asInteger(quantity: Quantity): bigint {
  if (!isInteger(quantity)) throw new EvaluationError('cannot convert value to integer');
  return quantity.nanos / NANOS;
}

const one = () => 1;
const TWO = [QUANTITY, QUANTITY];

export const QUANTITY_LIBRARY: Library = {
  types: [QUANTITY],
  functions: [
    declare('quantity', [overload('string_to_quantity', [STRING], QUANTITY, parse)], ([text]) => textCost(text)),
    declare(
      'isQuantity',
      [overload('is_quantity_string', [STRING], BOOL, (text: string) => parseQuantity(text) !== undefined)],
      ([text]) => textCost(text),
    ),
    declare('sign', [
      overload('quantity_sign', [QUANTITY], INT, ({ nanos }: Quantity) => (nanos < 0n ? -1n : nanos > 0n ? 1n : 0n)),
    ]),
    declare('isGreaterThan', [
      member('quantity_is_greater_than', TWO, BOOL, (a: Quantity, b: Quantity) => a.nanos > b.nanos),
    ]),
    declare('isLessThan', [
      member('quantity_is_less_than', TWO, BOOL, (a: Quantity, b: Quantity) => a.nanos < b.nanos),
    ]),
    declare('compareTo', [member('quantity_compare_to', TWO, INT, compareTo)]),
    declare('asApproximateFloat', [
      member('quantity_get_float', [QUANTITY], DOUBLE, ({ nanos }: Quantity) => Number(nanos) / 1e9),
    ]),
    declare('asInteger', [member('quantity_get_int', [QUANTITY], INT, asInteger)]),
    declare('isInteger', [member('quantity_is_integer', [QUANTITY], BOOL, isInteger)]),
    declare(
      'add',
      [
        member('quantity_add', TWO, QUANTITY, (a: Quantity, b: Quantity) => new Quantity(a.nanos + b.nanos)),
        member(
          'quantity_add_int',
          [QUANTITY, INT],
          QUANTITY,
          (a: Quantity, b: bigint) => new Quantity(a.nanos + b * NANOS),
        ),
      ],
      one,
    ),
    declare(
      'sub',
      [
        member('quantity_sub', TWO, QUANTITY, (a: Quantity, b: Quantity) => new Quantity(a.nanos - b.nanos)),
        member(
          'quantity_sub_int',
          [QUANTITY, INT],
          QUANTITY,
          (a: Quantity, b: bigint) => new Quantity(a.nanos - b * NANOS),
        ),
      ],
      one,
    ),
  ],
};
