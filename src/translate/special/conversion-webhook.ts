/**
 * A conversion of a CRD by webhook: read as the API server reads it into its Go type, and judged in its words. A bundle of
 * certificates may be any bytes, as there when a CRD is made.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go (validateCustomResourceConversion)
 */
import { ApiError } from '../../errors.ts';
import { clientConfigProblems } from '../../k8s/client-config.ts';
import { type FieldProblem, forbiddenField, invalidValue, notSupported, required } from '../../k8s/field-problems.ts';
import { DNS_1035_LABEL, nameProblems } from '../../k8s/name-rules.ts';
import { child, strings, text } from '../../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';

const STRATEGIES = ['None', 'Webhook'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

type Type = 'string' | 'port' | 'bytes' | 'strings' | Shape;
interface Shape {
  readonly [field: string]: Type;
}

const SHAPE: Shape = {
  strategy: 'string',
  webhook: {
    clientConfig: {
      url: 'string',
      service: { namespace: 'string', name: 'string', path: 'string', port: 'port' },
      caBundle: 'bytes',
    },
    conversionReviewVersions: 'strings',
  },
};

/**
 * The known fields alone, with the port of a service filled in. Null is left out.
 * @throws {ApiError} ERR_BAD_REQUEST
 */
export function readConversion(value: JsonObject): JsonObject {
  const conversion = read(value, SHAPE, 'spec.conversion');
  const service = child(child(child(conversion, 'webhook'), 'clientConfig'), 'service');
  if (Object.keys(service).length > 0) service['port'] ??= 443;
  return conversion;
}

function read(value: JsonObject, shape: Shape, path: string): JsonObject {
  const known: JsonObject = {};
  for (const [field, type] of Object.entries(shape)) {
    const inner = Object.hasOwn(value, field) ? (value[field] ?? null) : null;
    if (inner === null) continue;
    if (!isOf(inner, type)) throw wrongType(`${path}.${field}`);
    known[field] = typeof type === 'string' ? inner : read(inner as JsonObject, type, `${path}.${field}`);
  }
  return known;
}

function isOf(value: JsonValue, type: Type): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'port':
      return Number.isInteger(value) && Math.abs(value as number) < 2 ** 31;
    case 'bytes':
      return typeof value === 'string' && BASE64.test(value);
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    default:
      return isObject(value);
  }
}

function wrongType(field: string): ApiError {
  const kind = 'CustomResourceDefinition';
  const message = `${kind} in version "v1" cannot be handled as a ${kind}: json: cannot unmarshal field ${field}`;
  return new ApiError('ERR_BAD_REQUEST', message);
}

/** Fields are called as in the server's own types, as it does. */
export function conversionProblems(conversion: JsonObject, path: string): FieldProblem[] {
  const strategy = text(conversion, 'strategy');
  const webhook = child(conversion, 'webhook');
  const [config, versions] = [child(webhook, 'clientConfig'), strings(webhook, 'conversionReviewVersions')];
  const [configField, versionsField] = [`${path}.webhookClientConfig`, `${path}.conversionReviewVersions`];
  const problems = strategyProblems(strategy, `${path}.strategy`);
  if (strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook';
    if (webhook['clientConfig'] !== undefined) problems.push(forbiddenField(configField, detail));
    if (versions.length > 0) problems.push(forbiddenField(versionsField, detail));
    return problems;
  }
  if (webhook['clientConfig'] === undefined) {
    problems.push(required(configField, 'required when strategy is set to Webhook'));
  } else {
    problems.push(...clientConfigProblems(config, configField));
  }
  return [...problems, ...versionProblems(versions, versionsField)];
}

function strategyProblems(strategy: string, field: string): FieldProblem[] {
  if (strategy === '') return [required(field)];
  return STRATEGIES.includes(strategy) ? [] : [notSupported(field, strategy, STRATEGIES)];
}

function versionProblems(versions: readonly string[], field: string): FieldProblem[] {
  if (versions.length === 0) return [required(field)];
  const problems = versions.flatMap((version, at) => {
    if (versions.indexOf(version) < at) return [invalidValue(`${field}[${at}]`, version, 'duplicate version')];
    return nameProblems(version, DNS_1035_LABEL).map((why) => invalidValue(`${field}[${at}]`, version, why));
  });
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return problems;
  const detail = `must include at least one of ${REVIEW_VERSIONS.join(', ')}`;
  return [...problems, invalidValue(field, [...versions], detail)];
}
