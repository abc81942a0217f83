/**
 * What is wrong with the expressions of a ValidatingAdmissionPolicy when `object` is of the kinds that its rules name:
 * `status.typeChecking`. It warns and changes nothing.
 *
 * @see k8s.io/apiserver pkg/admission/plugin/policy/validating/typechecking.go at v0.36
 */
import { expressionProblem } from '../cel/compile.ts';
import type { Environment } from '../cel/environment.ts';
import { admissionEnvironment } from '../cel/kubernetes/admission.ts';
import type { SchemaTypes } from '../cel/kubernetes/schema-types.ts';
import { DYN, type Type } from '../cel/types.ts';
import { child, objects, strings, text } from '../k8s/read.ts';
import { type Gvk, isObject, type JsonObject, splitApiVersion } from '../k8s/types.ts';

export interface TypeCheckOptions {
  /** The kind of a resource; undefined when the tenant has none. */
  readonly kindOf: (group: string, version: string, resource: string) => string | undefined;
  /** The types of a kind; undefined when there is no schema of it. */
  readonly typesOf: (gvk: Gvk) => Promise<SchemaTypes | undefined>;
  /** Runs one check when its turn comes. */
  readonly inTurn: <T>(work: () => T) => Promise<T>;
}

/** As many kinds as are looked at for one rule. */
const MOST_KINDS = 10;

/**
 * What is said of one expression for one kind, and in all, in UTF-16 units: a hundred places of a long expression are told
 * with all of it each, for every kind, and no object could hold that. Real warnings are far shorter.
 */
const MOST_SAID = 8 * 1024;
const MOST_SAID_IN_ALL = 256 * 1024;

/** @returns `expressionWarnings`; none where nothing is wrong, or nothing is known of the kinds */
export async function typeWarnings(policy: JsonObject, options: TypeCheckOptions): Promise<JsonObject[]> {
  const spec = child(policy, 'spec');
  const params = isObject(spec['paramKind']) ? await options.typesOf(gvkOf(child(spec, 'paramKind'))) : undefined;
  const environments: Array<{ gvk: Gvk; environment: Environment }> = [];
  for (const gvk of kindsIn(spec, options)) {
    const types = await options.typesOf(gvk);
    if (types !== undefined) environments.push({ gvk, environment: await environmentOf(spec, types, params, options) });
  }
  const warnings: JsonObject[] = [];
  let left = MOST_SAID_IN_ALL;
  for (const { fieldRef, expression } of expressionsIn(spec)) {
    const said: string[] = [];
    for (const { gvk, environment } of environments) {
      if (left <= 0) break;
      const problem = await options.inTurn(() => problemOf(expression, environment));
      if (problem === undefined) continue;
      said.push(`${nameOfKind(gvk)}: ${problem}\n`);
      left -= problem.length;
    }
    if (said.length > 0) warnings.push({ fieldRef, warning: said.join('\n') });
  }
  return warnings;
}

/** In words, not too many; undefined where nothing is wrong. */
function problemOf(expression: string, environment: Environment): string | undefined {
  const checked = expressionProblem(expression, environment);
  if (!('problem' in checked)) return undefined;
  const { problem } = checked;
  return problem.length > MOST_SAID ? `${problem.slice(0, MOST_SAID).toWellFormed()}…` : problem;
}

function expressionsIn(spec: JsonObject): Array<{ fieldRef: string; expression: string }> {
  return objects(spec, 'validations').flatMap((validation, at) =>
    ['expression', 'messageExpression'].flatMap((field) => {
      const expression = text(validation, field);
      return expression === '' ? [] : [{ fieldRef: `spec.validations[${at}].${field}`, expression }];
    }),
  );
}

/** Each variable is checked in a turn of its own. */
async function environmentOf(
  spec: JsonObject,
  object: SchemaTypes,
  params: SchemaTypes | undefined,
  { inTurn }: Pick<TypeCheckOptions, 'inTurn'>,
): Promise<Environment> {
  const given = { object, params: params ?? isObject(spec['paramKind']), authorizer: 'alone' } as const;
  const variables = new Map<string, Type>();
  for (const one of objects(spec, 'variables')) {
    const check = () => expressionProblem(text(one, 'expression'), admissionEnvironment({ ...given, variables }));
    const checked = await inTurn(check);
    variables.set(text(one, 'name'), 'type' in checked ? checked.type : DYN);
  }
  return admissionEnvironment({ ...given, variables });
}

/** What the rules name; a rule with a `*` in its groups or versions names nothing, and subresources are left out. */
function kindsIn(spec: JsonObject, { kindOf }: Pick<TypeCheckOptions, 'kindOf'>): Gvk[] {
  const found = new Map<string, Gvk>();
  for (const rule of objects(child(spec, 'matchConstraints'), 'resourceRules')) {
    const [groups, versions] = [strings(rule, 'apiGroups').sort(), strings(rule, 'apiVersions').sort()];
    if ([...groups, ...versions].some((one) => one.includes('*'))) continue;
    const resources = strings(rule, 'resources').filter((one) => !/[*/]/.test(one));
    let count = 0;
    for (const group of groups) {
      for (const version of versions) {
        for (const resource of resources.sort()) {
          const kind = kindOf(group, version, resource);
          if (kind === undefined) continue;
          found.set(`${group}/${version}/${kind}`, { group, version, kind });
          count += 1;
          if (count === MOST_KINDS) return sorted(found);
        }
      }
    }
  }
  return sorted(found);
}

function sorted(found: ReadonlyMap<string, Gvk>): Gvk[] {
  const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return [...found.values()].sort(
    (a, b) => inOrder(a.group, b.group) || inOrder(a.version, b.version) || inOrder(a.kind, b.kind),
  );
}

function gvkOf(paramKind: JsonObject): Gvk {
  const [group, version] = splitApiVersion(text(paramKind, 'apiVersion'));
  return { group, version, kind: text(paramKind, 'kind') };
}

/** As Go prints it. */
function nameOfKind({ group, version, kind }: Gvk): string {
  return `${group}/${version}, Kind=${kind}`;
}
