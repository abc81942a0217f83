/**
 * The libraries that every expression of Kubernetes has.
 * @see k8s.io/apiserver pkg/cel/environment/base.go at v0.36
 */
import { type Environment, extend } from './environment.ts';
import { AUTHORIZER_LIBRARY } from './kubernetes/authorizer.ts';
import { FORMAT_LIBRARY } from './kubernetes/format.ts';
import { LIST_LIBRARY } from './kubernetes/lists.ts';
import { CIDR_LIBRARY, IP_LIBRARY } from './kubernetes/net.ts';
import { QUANTITY_LIBRARY } from './kubernetes/quantity.ts';
import { SEMVER_LIBRARY } from './kubernetes/semver.ts';
import { URL_LIBRARY } from './kubernetes/url.ts';
import { ARITHMETIC } from './std/arithmetic.ts';
import { COMPARISON } from './std/comparison.ts';
import { CONVERSION } from './std/conversion.ts';
import { LISTS } from './std/lists.ts';
import { OPTIONALS } from './std/optionals.ts';
import { STRINGS } from './std/strings.ts';
import { TIME_PARTS } from './std/time-parts.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from './types.ts';

const SCALARS = [BOOL, BYTES, DOUBLE, DURATION, INT, NULL, STRING, TIMESTAMP, TYPE, UINT];

export const STANDARD: Environment = extend(
  undefined,
  {
    functions: [...ARITHMETIC, ...COMPARISON, ...CONVERSION, ...TIME_PARTS, ...STRINGS, ...LISTS, ...OPTIONALS],
    types: [...SCALARS, listOf(DYN), mapOf(DYN, DYN), optionalOf(DYN)],
  },
  LIST_LIBRARY,
  URL_LIBRARY,
  QUANTITY_LIBRARY,
  IP_LIBRARY,
  CIDR_LIBRARY,
  FORMAT_LIBRARY,
  SEMVER_LIBRARY,
  AUTHORIZER_LIBRARY,
);
