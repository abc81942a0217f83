/**
 * How kinds of admissionregistration.k8s.io are printed.
 * @see k8s.io/kubernetes pkg/printers/internalversion/printers.go at v1.36
 */
import { nameOf } from '../../k8s/meta.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { Printer } from '../../ports.ts';
import { AGE, age, column, NAME } from '../columns.ts';
import { isSet, values } from '../field-checks.ts';
import { selectorText } from '../label-selector.ts';

const UNSET = '<unset>';
const PARAM_KIND = column('ParamKind', 'ParamKind specifies the kind of resources used to parameterize this policy');

const WEBHOOKS: Printer = {
  columns: [
    NAME,
    column('Webhooks', 'Webhooks indicates the number of webhooks registered in this configuration', 0, 'integer'),
    AGE,
  ],
  cells: (object, nowMs) => [nameOf(object), values(object, 'webhooks').length, age(object, nowMs)],
};

function policies(counted: JsonObject, list: string): Printer {
  return {
    columns: [NAME, counted, PARAM_KIND, AGE],
    cells(policy, nowMs) {
      const spec = child(policy, 'spec');
      return [nameOf(policy), values(spec, list).length, paramKind(spec), age(policy, nowMs)];
    },
  };
}

const VALIDATING = policies(
  column(
    'Validations',
    'Validations indicates the number of validation rules defined in this configuration',
    0,
    'integer',
  ),
  'validations',
);
const MUTATING = policies(
  column('Mutations', 'Mutation indicates the number of mutations rules defined in this configuration', 0, 'integer'),
  'mutations',
);

const BINDINGS: Printer = {
  columns: [
    NAME,
    column('PolicyName', 'PolicyName indicates the policy definition which the policy binding binded to'),
    column('ParamRef', 'ParamRef indicates the param resource which sets the configuration param'),
    AGE,
  ],
  cells(binding, nowMs) {
    const spec = child(binding, 'spec');
    return [nameOf(binding), text(spec, 'policyName'), paramRef(spec), age(binding, nowMs)];
  },
};

export const ADMISSION_PRINTERS: readonly (readonly [string, Printer])[] = (
  [
    ['mutatingwebhookconfigurations', WEBHOOKS],
    ['validatingwebhookconfigurations', WEBHOOKS],
    ['validatingadmissionpolicies', VALIDATING],
    ['validatingadmissionpolicybindings', BINDINGS],
    ['mutatingadmissionpolicies', MUTATING],
    ['mutatingadmissionpolicybindings', BINDINGS],
  ] as const
).map(([resource, printer]) => [`admissionregistration.k8s.io/${resource}`, printer]);

function paramKind(spec: JsonObject): string {
  if (!isSet(spec, 'paramKind')) return UNSET;
  const kind = child(spec, 'paramKind');
  return `${text(kind, 'apiVersion')}/${text(kind, 'kind')}`;
}

function paramRef(spec: JsonObject): string {
  if (!isSet(spec, 'paramRef')) return UNSET;
  const ref = child(spec, 'paramRef');
  const [name, namespace] = [text(ref, 'name'), text(ref, 'namespace')];
  // Whether the parameter has a namespace cannot be told from here.
  if (name !== '') return `${namespace === '' ? '*' : namespace}/${name}`;
  return isSet(ref, 'selector') ? selectorText(child(ref, 'selector')) : UNSET;
}
