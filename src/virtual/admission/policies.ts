/**
 * What kube-apiserver refuses in a ValidatingAdmissionPolicy or MutatingAdmissionPolicy, in its own words and order.
 * @see k8s.io/kubernetes pkg/apis/admissionregistration/validation/validation.go at v1.36
 */
import { isDeepStrictEqual } from 'node:util';
import type { Type } from '../../cel/types.ts';
import { duplicate, type FieldProblem, invalidValue, notSupported, required } from '../../k8s/field-problems.ts';
import { nameOf } from '../../k8s/meta.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { conditionProblems } from '../conditions.ts';
import { type Expression, expressionProblems, typeOf } from '../expressions.ts';
import { isSet, list, qualifiedNameFaults, values, wordFaults } from '../field-checks.ts';
import { matchConditionProblems } from './match-conditions.ts';
import { matchResourcesProblems } from './match-resources.ts';
import { paramKindProblems } from './params.ts';
import { mutatingOperationProblems } from './rules.ts';
import { FAILURE_POLICIES, REINVOCATION_POLICIES } from './webhooks.ts';

const MAX_ANNOTATIONS = 20;
const MAX_ANNOTATION_EXPRESSION = 5 * 1024;
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];
/** An identifier of CEL that is no word of the language. */
const IDENTIFIER =
  /^(?!(?:true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$)[_a-zA-Z][_a-zA-Z0-9]*$/;

export function validatingPolicyProblems(policy: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  const spec = child(policy, 'spec');
  const uses = usesOf(spec, false);
  const problems = sharedProblems(spec, previous, uses);
  const [validations, annotations] = [list(spec, 'validations'), list(spec, 'auditAnnotations')];
  if (validations.length === 0 && annotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [...problems, required('spec.validations', detail), required('spec.auditAnnotations', detail)];
  }
  validations.forEach((validation, at) => {
    problems.push(...validationProblems(validation, `spec.validations[${at}]`, uses));
  });
  return [...problems, ...annotationsProblems(policy, annotations, uses)];
}

export function mutatingPolicyProblems(policy: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  const spec = child(policy, 'spec');
  const uses = usesOf(spec, true);
  const problems = sharedProblems(spec, previous, uses, true);
  const mutations = list(spec, 'mutations');
  if (mutations.length === 0) problems.push(required('spec.mutations', 'mutations must contain at least one item'));
  mutations.forEach((mutation, at) => {
    problems.push(...mutationProblems(mutation, `spec.mutations[${at}]`, uses));
  });
  if (text(spec, 'reinvocationPolicy') === '') problems.push(required('spec.reinvocationPolicy'));
  else problems.push(...wordFaults('spec.reinvocationPolicy', spec['reinvocationPolicy'], REINVOCATION_POLICIES));
  return problems;
}

/** Of the subresource `status`. */
export function policyStatusProblems(policy: JsonObject): FieldProblem[] {
  const status = child(policy, 'status');
  const warnings = list(child(status, 'typeChecking'), 'expressionWarnings').flatMap((warning, at) => {
    const path = `status.typeChecking.expressionWarnings[${at}]`;
    const problems: FieldProblem[] = [];
    if (text(warning, 'warning') === '') problems.push(required(`${path}.warning`));
    if (text(warning, 'fieldRef').trim() === '') problems.push(required(`${path}.fieldRef`));
    return problems;
  });
  return [...warnings, ...conditionProblems(list(status, 'conditions'), 'status.conditions')];
}

/** What an expression of this policy may use, and what is wrong with the variables among it. */
interface Uses extends Pick<Expression, 'hasParams' | 'variables'> {
  readonly problems: FieldProblem[];
}

/** @param always true where `variables` is known even if there are none */
function usesOf(spec: JsonObject, always: boolean): Uses {
  const hasParams = isSet(spec, 'paramKind');
  const declared = list(spec, 'variables');
  const types = new Map<string, Type>();
  const problems = declared.flatMap((variable, at) => {
    const path = `spec.variables[${at}]`;
    const [name, expression] = [text(variable, 'name'), text(variable, 'expression')];
    if (expression.trim() === '') {
      return [...variableNameProblems(name, path), required(`${path}.expression`, 'expression is not specified')];
    }
    // A variable may use those before it.
    const use = { use: 'variable', text: expression, hasParams, variables: types } as const;
    const judged = typeOf(`${path}.expression`, use);
    types.set(name, judged.type);
    return [...variableNameProblems(name, path), ...judged.problems];
  });
  return { hasParams, variables: always || declared.length > 0 ? types : undefined, problems };
}

function variableNameProblems(name: string, path: string): FieldProblem[] {
  if (name.trim() === '') return [required(`${path}.name`, 'name is not specified')];
  return IDENTIFIER.test(name) ? [] : [invalidValue(`${path}.name`, name, 'must be a valid CEL identifier')];
}

function sharedProblems(
  spec: JsonObject,
  previous: JsonObject | undefined,
  uses: Uses,
  mutating = false,
): FieldProblem[] {
  const problems = wordFaults('spec.failurePolicy', spec['failurePolicy'], FAILURE_POLICIES);
  if (isSet(spec, 'paramKind')) problems.push(...paramKindProblems(child(spec, 'paramKind'), 'spec.paramKind'));
  const [match, path] = [child(spec, 'matchConstraints'), 'spec.matchConstraints'];
  if (!isSet(spec, 'matchConstraints')) problems.push(required(path));
  else {
    problems.push(...matchResourcesProblems(match, path));
    const rules = list(match, 'resourceRules');
    if (rules.length === 0) problems.push(required(`${path}.resourceRules`));
    if (mutating) problems.push(...mutatingOperationProblems(rules, `${path}.resourceRules`));
  }
  if (!keepsConditions(spec, previous)) {
    problems.push(...matchConditionProblems(spec, 'spec.matchConditions', uses.hasParams));
  }
  return [...problems, ...uses.problems];
}

/** Conditions that were stored are not judged again, as long as what they may use is the same. */
function keepsConditions(spec: JsonObject, previous: JsonObject | undefined): boolean {
  if (previous === undefined) return false;
  const stored = child(previous, 'spec');
  return (
    isDeepStrictEqual(child(spec, 'paramKind'), child(stored, 'paramKind')) &&
    isDeepStrictEqual(values(spec, 'matchConditions'), values(stored, 'matchConditions'))
  );
}

function validationProblems(validation: JsonObject, path: string, uses: Uses): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const expression = text(validation, 'expression');
  if (expression.trim() === '') problems.push(required(`${path}.expression`, 'expression is not specified'));
  else {
    const use = { ...uses, use: 'validation', text: expression } as const;
    problems.push(...expressionProblems(`${path}.expression`, use));
  }
  const [message, messageExpression] = [text(validation, 'message'), text(validation, 'messageExpression')];
  const blank = 'must be non-empty if specified';
  if (messageExpression !== '' && messageExpression.trim() === '') {
    problems.push(invalidValue(`${path}.messageExpression`, messageExpression, blank));
  } else if (messageExpression !== '') {
    const use = { ...uses, use: 'message', text: messageExpression } as const;
    problems.push(...expressionProblems(`${path}.messageExpression`, use));
  }
  if (message !== '' && message.trim() === '') problems.push(invalidValue(`${path}.message`, message, blank));
  else if (/[\n\r]/.test(message.trim())) {
    problems.push(invalidValue(`${path}.message`, message, 'must not contain line breaks'));
  }
  return [...problems, ...wordFaults(`${path}.reason`, validation['reason'], REASONS)];
}

function annotationsProblems(policy: JsonObject, annotations: readonly JsonObject[], uses: Uses): FieldProblem[] {
  const path = 'spec.auditAnnotations';
  const keys = annotations.map((annotation) => text(annotation, 'key'));
  const problems: FieldProblem[] = [];
  if (annotations.length > MAX_ANNOTATIONS) {
    const detail = `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`;
    problems.push(invalidValue(path, [...annotations], detail));
  }
  annotations.forEach((annotation, at) => {
    const key = keys[at] ?? '';
    problems.push(...annotationProblems(nameOf(policy), annotation, `${path}[${at}]`, uses));
    if (keys.indexOf(key) < at) problems.push(duplicate(`${path}[${at}].key`, key));
  });
  return problems;
}

function annotationProblems(policy: string, annotation: JsonObject, path: string, uses: Uses): FieldProblem[] {
  const key = text(annotation, 'key');
  const problems =
    policy === ''
      ? [invalidValue(`${path}.key`, key, 'requires metadata.name be non-empty')]
      : qualifiedNameFaults(`${path}.key`, `${policy}/${key}`);
  const field = `${path}.valueExpression`;
  const expression = text(annotation, 'valueExpression').trim();
  if (expression === '') return [...problems, required(field, 'valueExpression is not specified')];
  if (Buffer.byteLength(expression) > MAX_ANNOTATION_EXPRESSION) {
    return [...problems, required(field, `must not exceed ${MAX_ANNOTATION_EXPRESSION} bytes in length`)];
  }
  return [...problems, ...expressionProblems(field, { ...uses, use: 'annotation', text: expression })];
}

function mutationProblems(mutation: JsonObject, path: string, uses: Uses): FieldProblem[] {
  const patchType = text(mutation, 'patchType');
  if (patchType === '') return [required(`${path}.patchType`)];
  if (!PATCH_TYPES.includes(patchType)) return [notSupported(`${path}.patchType`, patchType, PATCH_TYPES)];
  const [own, other] =
    patchType === 'JSONPatch'
      ? (['jsonPatch', 'applyConfiguration'] as const)
      : (['applyConfiguration', 'jsonPatch'] as const);
  const problems: FieldProblem[] = [];
  if (!isSet(mutation, own))
    problems.push(required(`${path}.${own}`, `must be specified when patchType is ${patchType}`));
  else {
    const field = `${path}.${own}.expression`;
    const expression = text(child(mutation, own), 'expression').trim();
    if (expression === '') problems.push(required(field));
    else problems.push(...expressionProblems(field, { ...uses, use: own, text: expression }));
  }
  if (isSet(mutation, other)) {
    const detail = `must not be specified when patchType is ${patchType}`;
    problems.push(invalidValue(`${path}.${other}`, `{${other}}`, detail));
  }
  return problems;
}
