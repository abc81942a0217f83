/**
 * Where a binding takes the parameters of its policy from.
 * @see k8s.io/apiserver pkg/admission/plugin/policy/generic/policy_dispatcher.go (CollectParams) at v0.36
 */
import { child, text } from '../k8s/read.ts';
import { isObject, type JsonObject, splitApiVersion } from '../k8s/types.ts';
import type { AdmissionSubject } from '../ports.ts';

/** The binding cannot be used as it is; its policy's failurePolicy says what then. */
export class ConfigurationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigurationError';
  }
}

/**
 * One run of the policy for each entry. `undefined`: the policy takes none; `null`: it does, and the binding has none.
 * @throws {ConfigurationError}
 */
export async function collectParams(
  policy: JsonObject,
  binding: JsonObject,
  subject: AdmissionSubject,
): Promise<ReadonlyArray<JsonObject | null | undefined>> {
  const { paramKind } = child(policy, 'spec');
  const { paramRef } = child(binding, 'spec');
  if (!isObject(paramKind)) return [undefined];
  if (!isObject(paramRef)) return [null];
  const [group, version] = splitApiVersion(text(paramKind, 'apiVersion'));
  const kind = { group, version, kind: text(paramKind, 'kind') };
  const namespace = placeOf(paramRef, subject.isNamespaced(kind), subject);
  const name = text(paramRef, 'name');
  const { selector } = paramRef;
  const where = name === '' ? { namespace, selector: isObject(selector) ? selector : {} } : { namespace, name };
  const found = await subject.find(kind, where);
  if (found === undefined) {
    throw new ConfigurationError(
      `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind.kind}'`,
    );
  }
  if (found.length === 0 && text(paramRef, 'parameterNotFoundAction') === 'Deny') {
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found;
}

function placeOf(paramRef: JsonObject, isNamespaced: boolean | undefined, { namespace }: AdmissionSubject): string {
  const own = text(paramRef, 'namespace');
  if (isNamespaced === false) {
    if (own === '') return '';
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  if (own !== '') return own;
  if (namespace !== '') return namespace;
  throw new ConfigurationError(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
}
