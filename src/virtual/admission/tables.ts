/**
 * How kinds of admissionregistration.k8s.io are printed.
 * @see k8s.io/kubernetes pkg/printers/internalversion/printers.go at v1.36
 */
import { nameOf } from '../../k8s/meta.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { age, type Cells, type CellsByKind } from '../cells.ts';
import { isSet, values } from '../field-checks.ts';
import { selectorText } from '../label-selector.ts';

const GROUP = 'admissionregistration.k8s.io';
const UNSET = '<unset>';

export const ADMISSION_CELLS: CellsByKind = [
  [`${GROUP}/mutatingwebhookconfigurations`, webhooks],
  [`${GROUP}/validatingwebhookconfigurations`, webhooks],
  [`${GROUP}/validatingadmissionpolicies`, policy('validations')],
  [`${GROUP}/validatingadmissionpolicybindings`, binding],
  [`${GROUP}/mutatingadmissionpolicies`, policy('mutations')],
  [`${GROUP}/mutatingadmissionpolicybindings`, binding],
];

function webhooks(object: JsonObject, nowMs: number) {
  return [nameOf(object), values(object, 'webhooks').length, age(object, nowMs)];
}

/** @param counted the list whose length is shown */
function policy(counted: string): Cells {
  return (object, nowMs) => {
    const spec = child(object, 'spec');
    return [nameOf(object), values(spec, counted).length, paramKind(spec), age(object, nowMs)];
  };
}

function binding(object: JsonObject, nowMs: number) {
  const spec = child(object, 'spec');
  return [nameOf(object), text(spec, 'policyName'), paramRef(spec), age(object, nowMs)];
}

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
