/**
 * `authorizer.group('apps').resource('deployments').namespace('web').check('create').allowed()`
 *
 * Who answers is handed in: virtual RBAC of the tenant whose expression it is.
 *
 * @see k8s.io/apiserver pkg/cel/library/authz.go at v0.36
 */
import { DNS_LABEL, DNS_SUBDOMAIN, type NameRule } from '../../k8s/name-rules.ts';
import { LIST_COST, STRUCT_COST, sizeOf, textCost } from '../cost.ts';
import { declare, member } from '../declare.ts';
import type { Library } from '../environment.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { BOOL, STRING, structOf } from '../types.ts';
import { Opaque, type Value } from '../values.ts';

/** What is asked. A path is no resource. */
export interface Check {
  /** Undefined: whose request it is. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string } | undefined;
  readonly verb: string;
  readonly path: string | undefined;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
  /** Empty when there was none. */
  readonly error: string;
}

export type Ask = (check: Check) => Verdict;

const NOTHING: Check = {
  serviceAccount: undefined,
  verb: '',
  path: undefined,
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
};

const AUTHORIZER = structOf('kubernetes.authorization.Authorizer');
const PATH_CHECK = structOf('kubernetes.authorization.PathCheck');
const GROUP_CHECK = structOf('kubernetes.authorization.GroupCheck');
const RESOURCE_CHECK = structOf('kubernetes.authorization.ResourceCheck');
const DECISION = structOf('kubernetes.authorization.Decision');

class Question extends Opaque {
  readonly typeName: string;
  readonly check: Check;
  readonly ask: Ask;

  constructor({ name }: { readonly name: string }, check: Check, ask: Ask) {
    super();
    this.typeName = name;
    this.check = check;
    this.ask = ask;
  }
}

class Decision extends Opaque {
  readonly typeName = DECISION.name;
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super();
    this.verdict = verdict;
  }
}

/** The variable `authorizer`. */
export function authorizerValue(ask: Ask): Value {
  return new Question(AUTHORIZER, NOTHING, ask);
}

/** The variable `authorizer.requestResource`. */
export function requestResourceValue(
  ask: Ask,
  resource: Pick<Check, 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>,
): Value {
  return new Question(RESOURCE_CHECK, { ...NOTHING, ...resource }, ask);
}

function narrowed(type: { readonly name: string }, field: keyof Check, complaint?: string) {
  return ({ check, ask }: Question, value: string): Value => {
    if (complaint !== undefined && value.trim() === '') throw new EvaluationError(complaint);
    return new Question(type, { ...check, [field]: value }, ask);
  };
}

function serviceAccount({ check, ask }: Question, namespace: string, name: string): Value {
  if (!isName(DNS_SUBDOMAIN, name)) throw new EvaluationError('Invalid service account name');
  if (!isName(DNS_LABEL, namespace)) throw new EvaluationError('Invalid service account namespace');
  return new Question(AUTHORIZER, { ...check, serviceAccount: { namespace, name } }, ask);
}

function isName({ problem, max }: NameRule, name: string): boolean {
  return name.length <= max && problem(name) === undefined;
}

const decide = ({ check, ask }: Question, verb: string): Value => new Decision(ask({ ...check, verb }));

/** Two checks in one expression at most. */
const CHECK_COST = 350_000;
const selectorCost = ([, selector]: readonly Value[]) =>
  LIST_COST + textCost(selector) + Math.ceil(sizeOf(selector) * 0.5) * (LIST_COST + STRUCT_COST);

export const AUTHORIZER_TYPE = AUTHORIZER;
export const RESOURCE_CHECK_TYPE = RESOURCE_CHECK;

export const AUTHORIZER_LIBRARY: Library = {
  types: [AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION],
  functions: [
    declare('path', [
      member(
        'authorizer_path',
        [AUTHORIZER, STRING],
        PATH_CHECK,
        narrowed(PATH_CHECK, 'path', 'path must not be empty'),
      ),
    ]),
    declare('group', [member('authorizer_group', [AUTHORIZER, STRING], GROUP_CHECK, narrowed(GROUP_CHECK, 'group'))]),
    declare('serviceAccount', [
      member('authorizer_serviceaccount', [AUTHORIZER, STRING, STRING], AUTHORIZER, serviceAccount),
    ]),
    declare('resource', [
      member(
        'groupcheck_resource',
        [GROUP_CHECK, STRING],
        RESOURCE_CHECK,
        narrowed(RESOURCE_CHECK, 'resource', 'resource must not be empty'),
      ),
    ]),
    ...(['subresource', 'namespace', 'name'] as const).map((field) =>
      declare(field, [
        member(`resourcecheck_${field}`, [RESOURCE_CHECK, STRING], RESOURCE_CHECK, narrowed(RESOURCE_CHECK, field)),
      ]),
    ),
    ...(['fieldSelector', 'labelSelector'] as const).map((field) =>
      declare(
        field,
        [
          member(
            `authorizer_${field.toLowerCase()}`,
            [RESOURCE_CHECK, STRING],
            RESOURCE_CHECK,
            narrowed(RESOURCE_CHECK, field),
          ),
        ],
        selectorCost,
      ),
    ),
    declare(
      'check',
      [
        member('pathcheck_check', [PATH_CHECK, STRING], DECISION, decide),
        member('resourcecheck_check', [RESOURCE_CHECK, STRING], DECISION, decide),
      ],
      () => CHECK_COST,
    ),
    declare('errored', [member('decision_errored', [DECISION], BOOL, ({ verdict }: Decision) => verdict.error !== '')]),
    declare('error', [member('decision_error', [DECISION], STRING, ({ verdict }: Decision) => verdict.error)]),
    declare('allowed', [member('decision_allowed', [DECISION], BOOL, ({ verdict }: Decision) => verdict.allowed)]),
    declare('reason', [member('decision_reason', [DECISION], STRING, ({ verdict }: Decision) => verdict.reason)]),
  ],
};
