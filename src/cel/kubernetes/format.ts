/**
 * `format.dns1123Label().validate('x')`
 * @see k8s.io/apiserver pkg/cel/library/format.go at v0.36; k8s.io/apimachinery pkg/util/validation
 */
import {
  DNS_1035_LABEL,
  DNS_LABEL,
  DNS_SUBDOMAIN,
  labelKeyProblem,
  labelValueProblem,
  type NameRule,
} from '../../k8s/name-rules.ts';
import { matchCost } from '../cost.ts';
import { declare, member, overload } from '../declare.ts';
import type { FunctionDeclaration, Library } from '../environment.ts';
import { parseInstant } from '../time.ts';
import { listOf, optionalOf, STRING, structOf } from '../types.ts';
import { ListValue, NONE, Opaque, Optional, type Value } from '../values.ts';

const FORMAT = structOf('kubernetes.NamedFormat');
const PROBLEMS = optionalOf(listOf(STRING));
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]/;
/** Texts longer than this are no name of any kind, whatever is in them. */
const MAX_NAME_UNITS = 1_000;

class Format extends Opaque {
  readonly typeName = FORMAT.name;
  readonly name: string;
  /** For the cost: about how long its pattern is. */
  readonly patternUnits: number;
  readonly problems: (text: string) => readonly string[];

  constructor(name: string, patternUnits: number, problems: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.patternUnits = patternUnits;
    this.problems = problems;
  }

  override equals(other: Opaque): boolean {
    return other instanceof Format && other.name === this.name;
  }
}

/** @param isPrefix a dash at the end stands for what is to follow */
function nameRule({ problem, max }: NameRule, isPrefix: boolean) {
  return (text: string): string[] => {
    const name = isPrefix ? text.replace(/(.)-$/, '$1a') : text;
    const tooLong = name.length > max ? [`must be no more than ${max} bytes`] : [];
    const wrong = name.length > MAX_NAME_UNITS ? undefined : problem(name);
    return wrong === undefined ? tooLong : [...tooLong, wrong];
  };
}

const single = (problem: (text: string) => string | undefined) => (text: string) => {
  const wrong = text.length > MAX_NAME_UNITS ? 'must be no more than 63 bytes' : problem(text);
  return wrong === undefined ? [] : [wrong];
};
const matching = (test: (text: string) => boolean, problem: string) => (text: string) => (test(text) ? [] : [problem]);

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['dns1123Label', new Format('DNS1123Label', 30, nameRule(DNS_LABEL, false))],
  ['dns1123Subdomain', new Format('DNS1123Subdomain', 60, nameRule(DNS_SUBDOMAIN, false))],
  ['dns1035Label', new Format('DNS1035Label', 30, nameRule(DNS_1035_LABEL, false))],
  ['qualifiedName', new Format('QualifiedName', 60, single(labelKeyProblem))],
  ['dns1123LabelPrefix', new Format('DNS1123LabelPrefix', 30, nameRule(DNS_LABEL, true))],
  ['dns1123SubdomainPrefix', new Format('DNS1123SubdomainPrefix', 60, nameRule(DNS_SUBDOMAIN, true))],
  ['dns1035LabelPrefix', new Format('DNS1035LabelPrefix', 30, nameRule(DNS_1035_LABEL, true))],
  ['labelValue', new Format('LabelValue', 40, single(labelValueProblem))],
  [
    'uri',
    new Format(
      'URI',
      1103,
      matching((text) => URL.canParse(text), 'invalid URI for request'),
    ),
  ],
  [
    'uuid',
    new Format(
      'uuid',
      100,
      matching((text) => UUID.test(text), 'does not match the UUID format'),
    ),
  ],
  [
    'byte',
    new Format(
      'byte',
      84,
      matching((text) => text !== '' && BASE64.test(text), 'invalid base64'),
    ),
  ],
  [
    'date',
    new Format(
      'date',
      120,
      matching((text) => parseInstant(`${text}T00:00:00Z`) !== undefined, 'invalid date'),
    ),
  ],
  [
    'datetime',
    new Format(
      'datetime',
      120,
      matching((text) => DATE_TIME.test(text) && parseInstant(text) !== undefined, 'invalid datetime'),
    ),
  ],
]);

const constants: FunctionDeclaration[] = [...FORMATS].map(([name, format]) =>
  declare(`format.${name}`, [overload(`format.${name}`, [], FORMAT, () => format)]),
);

export const FORMAT_LIBRARY: Library = {
  types: [FORMAT],
  functions: [
    ...constants,
    declare('format.named', [
      overload('format-named', [STRING], optionalOf(FORMAT), (name: string) => {
        const format = FORMATS.get(name);
        return format === undefined ? NONE : new Optional(format);
      }),
    ]),
    declare(
      'validate',
      [
        member('format-validate', [FORMAT, STRING], PROBLEMS, (format: Format, text: string): Value => {
          const problems = format.problems(text);
          return problems.length === 0 ? NONE : new Optional(new ListValue([...problems]));
        }),
      ],
      ([format, text]) => matchCost(text, format instanceof Format ? format.patternUnits : 0),
    ),
  ],
};
