/**
 * What an access review asks about: `spec.resourceAttributes` or `spec.nonResourceAttributes`.
 *
 * Selectors are checked and echoed; RBAC does not weigh them.
 *
 * @see k8s.io/kubernetes pkg/apis/authorization/validation/validation.go at v1.36
 */
import { type FieldProblem, invalidValue, required } from '../k8s/field-problems.ts';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import type { Attributes } from '../k8s/rbac.ts';
import { parseFieldSelector } from '../k8s/selector.ts';
import type { JsonObject } from '../k8s/types.ts';
import { pruned, read } from './review.ts';

export interface AskedAttributes {
  /** Undefined where `problems` are not empty. */
  readonly attributes: Attributes | undefined;
  /** The fields of `spec` that hold them, as they are answered. */
  readonly echo: JsonObject;
  readonly problems: readonly FieldProblem[];
  /** What could not be understood but does no harm. */
  readonly evaluationError: string;
}

export function readAsked(spec: JsonObject): AskedAttributes {
  const asked = read.object(spec, 'resourceAttributes');
  const path = read.object(spec, 'nonResourceAttributes');
  const problems: FieldProblem[] = [];
  if (asked !== undefined && path !== undefined) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    problems.push(invalidValue('spec.nonResourceAttributes', printedPath(path), detail));
  }
  if (asked === undefined && path === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    problems.push(invalidValue('spec.resourceAttributes', null, detail));
  }
  const resource = asked === undefined ? undefined : readResource(asked, problems);
  const url = path === undefined ? undefined : { path: read.text(path, 'path'), verb: read.text(path, 'verb') };
  return {
    attributes: resource?.attributes ?? (url === undefined ? undefined : { isResource: false, ...url }),
    echo: {
      ...(resource === undefined ? {} : { resourceAttributes: resource.echo }),
      ...(url === undefined ? {} : { nonResourceAttributes: pruned(url) }),
    },
    problems,
    evaluationError: resource?.faults.join('; ') ?? '',
  };
}

/** As the server prints its own type in a refusal. */
export function printedPath(path: JsonObject): JsonObject {
  return { Path: read.text(path, 'path'), Verb: read.text(path, 'verb') };
}

function readResource(asked: JsonObject, problems: FieldProblem[]) {
  const fields = {
    namespace: read.text(asked, 'namespace'),
    verb: read.text(asked, 'verb'),
    group: read.text(asked, 'group'),
    version: read.text(asked, 'version'),
    resource: read.text(asked, 'resource'),
    subresource: read.text(asked, 'subresource'),
    name: read.text(asked, 'name'),
  };
  const { version: _version, ...asks } = fields;
  const faults: string[] = [];
  const selectors: JsonObject = {};
  for (const [field, parse] of [
    ['fieldSelector', parseFieldSelector],
    ['labelSelector', parseLabelSelector],
  ] as const) {
    const selector = read.object(asked, field);
    if (selector === undefined) continue;
    selectors[field] = readSelector(selector, `spec.resourceAttributes.${field}`, parse, { problems, faults });
  }
  const attributes: Attributes = { isResource: true, ...asks };
  return { attributes, echo: { ...pruned(fields), ...selectors }, faults };
}

function readSelector(
  selector: JsonObject,
  path: string,
  parse: (text: string) => unknown,
  found: { problems: FieldProblem[]; faults: string[] },
): JsonObject {
  const rawSelector = read.text(selector, 'rawSelector');
  const requirements = read.objects(selector, 'requirements');
  if (rawSelector !== '' && requirements.length > 0) {
    const detail = 'may not specified at the same time as requirements';
    found.problems.push(invalidValue(`${path}.rawSelector`, rawSelector, detail));
  } else if (rawSelector === '' && requirements.length === 0) {
    const detail = `when ${path} is specified, requirements or rawSelector is required`;
    found.problems.push(required(`${path}.requirements`, detail));
  }
  try {
    parse(rawSelector);
  } catch {
    found.faults.push(`${path} ignored due to parse error`);
  }
  return pruned({ rawSelector, requirements });
}
