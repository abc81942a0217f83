/**
 * The authorization stage: lets a request pass or refuses it with 403, in kube-apiserver's words.
 * @see k8s.io/apiserver pkg/endpoints/handlers/responsewriters/errors.go at v0.36
 */
import { ApiError } from '../errors.ts';
import type { Identity, RequestInfo } from '../exchange.ts';
import type { Attributes } from '../k8s/rbac.ts';
import { qualified } from '../k8s/status-texts.ts';
import { goQuote } from '../lib/go-quote.ts';
import type { Authorizer } from '../ports.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { attributesOf } from './attributes.ts';

/**
 * @returns by which binding it is allowed, for the audit; '' for who may everything
 * @throws {ApiError} ERR_FORBIDDEN, or ERR_UNAVAILABLE while the tenants' roles are not known.
 */
export function authorize(authorizer: Authorizer, tenant: Tenant, identity: Identity, info: RequestInfo): string {
  const attributes = attributesOf(info);
  const { allowed, reason } = authorizer.decide(tenant, identity, attributes);
  if (!allowed) throw forbidden(identity, attributes, reason);
  return reason;
}

/** The refusal that kube-apiserver would give. `reason` may be empty. */
export function forbidden(who: Identity, attributes: Attributes, reason: string): ApiError {
  const text = html(sentence(who, attributes));
  const full = reason === '' ? text : `${text}: ${reason}`;
  const options = { why: 'rbac' };
  if (!attributes.isResource) return new ApiError('ERR_FORBIDDEN', `forbidden: ${full}`, { ...options, details: {} });
  const { group, resource, name } = attributes;
  const what = qualified(group, resource);
  const named = name === '' ? what : `${what} ${goQuote(name)}`;
  return new ApiError('ERR_FORBIDDEN', `${named} is forbidden: ${full}`, {
    ...options,
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource },
  });
}

function sentence(who: Identity, attributes: Attributes): string {
  const user = `User ${goQuote(who.username)} cannot ${attributes.verb}`;
  if (!attributes.isResource) return `${user} path ${goQuote(attributes.path)}`;
  const { group, resource, subresource, namespace } = attributes;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  return `${user} resource ${goQuote(what)} in API group ${goQuote(group)} ${where}`;
}

/** The answer must not pass for HTML in a browser. */
function html(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
