/**
 * Policies with their expressions compiled: once for each stored object, and not before a request meets it.
 */
import { InvalidExpression } from '../cel/compile.ts';
import { compileFor, type ExpressionUse } from '../cel/kubernetes/uses.ts';
import { DYN, type Type } from '../cel/types.ts';
import { child, objects, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { Compiled } from './evaluation.ts';

export interface Condition {
  readonly name: string;
  readonly expression: Compiled;
}

export interface Validation {
  readonly expression: Compiled;
  readonly messageExpression: Compiled | undefined;
  readonly message: string;
  /** `Invalid` where there is none. */
  readonly reason: string;
}

export interface Mutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: Compiled;
}

export interface CompiledPolicy {
  readonly conditions: readonly Condition[];
  readonly variables: ReadonlyMap<string, Compiled>;
  readonly validations: readonly Validation[];
  readonly mutations: readonly Mutation[];
  readonly annotations: ReadonlyArray<{ readonly key: string; readonly expression: Compiled }>;
  readonly ignoresFailures: boolean;
  readonly hasParams: boolean;
  readonly reinvokes: boolean;
}

const compiled = new WeakMap<JsonObject, CompiledPolicy>();

/** @param policy in the tenant's terms; the same object gives the same result */
export function compiledPolicy(policy: JsonObject): CompiledPolicy {
  const known = compiled.get(policy) ?? compilePolicy(child(policy, 'spec'));
  compiled.set(policy, known);
  return known;
}

function compilePolicy(spec: JsonObject): CompiledPolicy {
  const hasParams = isObject(spec['paramKind']);
  const variables = new Map<string, Compiled>();
  const types = new Map<string, Type>();
  const at = (source: string, use: ExpressionUse['use']) =>
    // Where nothing can be used as `variables.<name>`, there is no `variables` either.
    compiledText(source, { use, hasParams, variables: types.size === 0 ? undefined : types });
  for (const one of objects(spec, 'variables')) {
    const compiled = at(text(one, 'expression'), 'variable');
    variables.set(text(one, 'name'), compiled);
    types.set(text(one, 'name'), compiled.program?.type ?? DYN);
  }
  return {
    hasParams,
    ignoresFailures: text(spec, 'failurePolicy') === 'Ignore',
    reinvokes: text(spec, 'reinvocationPolicy') === 'IfNeeded',
    conditions: conditionsOf(spec, hasParams),
    variables,
    validations: objects(spec, 'validations').map((one) => {
      const messageExpression = text(one, 'messageExpression');
      return {
        expression: at(text(one, 'expression'), 'validation'),
        messageExpression: messageExpression === '' ? undefined : at(messageExpression, 'message'),
        message: text(one, 'message'),
        reason: text(one, 'reason') || 'Invalid',
      };
    }),
    annotations: objects(spec, 'auditAnnotations').map((one) => ({
      key: text(one, 'key'),
      expression: at(text(one, 'valueExpression'), 'annotation'),
    })),
    mutations: objects(spec, 'mutations').map((one) => {
      const isPatch = text(one, 'patchType') === 'JSONPatch';
      const source = text(child(one, isPatch ? 'jsonPatch' : 'applyConfiguration'), 'expression');
      return {
        patchType: isPatch ? 'JSONPatch' : 'ApplyConfiguration',
        expression: at(source, isPatch ? 'jsonPatch' : 'applyConfiguration'),
      };
    }),
  };
}

const webhookConditions = new WeakMap<JsonObject, readonly Condition[]>();

/** `matchConditions` of a webhook. @param webhook the same object gives the same result */
export function conditionsOfWebhook(webhook: JsonObject): readonly Condition[] {
  const known = webhookConditions.get(webhook) ?? conditionsOf(webhook, false);
  webhookConditions.set(webhook, known);
  return known;
}

function conditionsOf(owner: JsonObject, hasParams: boolean): Condition[] {
  return objects(owner, 'matchConditions').map((one) => ({
    name: text(one, 'name'),
    expression: compiledText(text(one, 'expression'), { use: 'condition', hasParams }),
  }));
}

function compiledText(source: string, use: ExpressionUse): Compiled {
  try {
    return { text: source.trim(), program: compileFor(source, use), problem: '' };
  } catch (error) {
    if (error instanceof InvalidExpression) return { text: source.trim(), program: undefined, problem: error.message };
    throw error;
  }
}
