/**
 * The parameters of a policy: their kind, and which object of it a binding takes.
 * @see k8s.io/kubernetes pkg/apis/admissionregistration/validation/validation.go at v1.36
 */
import { type FieldProblem, forbiddenField, invalidValue, notSupported, required } from '../../k8s/field-problems.ts';
import { DNS_1035_LABEL, DNS_SUBDOMAIN, nameProblems, PATH_SEGMENT } from '../../k8s/name-rules.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { isSet, nameFaults } from '../field-checks.ts';
import { selectorProblems } from '../label-selector.ts';

const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];

export function paramKindProblems(paramKind: JsonObject, path: string): FieldProblem[] {
  const [apiVersion, kind] = [text(paramKind, 'apiVersion'), text(paramKind, 'kind')];
  const problems =
    apiVersion === '' ? [required(`${path}.apiVersion`)] : versionProblems(apiVersion, `${path}.apiVersion`);
  if (kind === '') return [...problems, required(`${path}.kind`)];
  const faults = nameProblems(kind.toLowerCase(), DNS_1035_LABEL);
  if (faults.length === 0) return problems;
  const detail = `may have mixed case, but should otherwise match: ${faults.join(',')}`;
  return [...problems, invalidValue(`${path}.kind`, kind, detail)];
}

function versionProblems(apiVersion: string, field: string): FieldProblem[] {
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/');
  if (parts.length > 2) return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group, version] = parts.length === 1 ? ['', parts[0] ?? ''] : [parts[0] ?? '', parts[1] ?? ''];
  const problems: FieldProblem[] = [];
  const groupFaults = group === '' ? [] : nameProblems(group, DNS_SUBDOMAIN);
  if (groupFaults.length > 0) problems.push(invalidValue(field, group, groupFaults.join(',')));
  if (version === '') return [...problems, invalidValue(field, apiVersion, 'version must be specified')];
  const faults = nameProblems(version, DNS_1035_LABEL);
  return faults.length === 0 ? problems : [...problems, invalidValue(field, version, faults.join(','))];
}

export function paramRefProblems(paramRef: JsonObject, path: string): FieldProblem[] {
  const name = text(paramRef, 'name');
  const hasSelector = isSet(paramRef, 'selector');
  const detail = 'name and selector are mutually exclusive';
  const problems = name === '' ? [] : nameFaults(`${path}.name`, name, PATH_SEGMENT);
  if (name !== '' && hasSelector) problems.push(forbiddenField(`${path}.name`, detail));
  if (hasSelector) problems.push(...selectorProblems(child(paramRef, 'selector'), `${path}.selector`));
  if (name !== '' && hasSelector) problems.push(forbiddenField(`${path}.selector`, detail));
  if (name === '' && !hasSelector) problems.push(required(path, 'one of name or selector must be specified'));
  const action = text(paramRef, 'parameterNotFoundAction');
  if (action === '') problems.push(required(`${path}.parameterNotFoundAction`));
  else if (!NOT_FOUND_ACTIONS.includes(action)) {
    problems.push(notSupported(`${path}.parameterNotFoundAction`, action, NOT_FOUND_ACTIONS));
  }
  return problems;
}
