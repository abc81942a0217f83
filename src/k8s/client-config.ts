/**
 * Where a webhook is: a URL, or a Service.
 * @see k8s.io/apiserver pkg/util/webhook/validation.go at v0.36
 */
import { type FieldProblem, invalidValue, required } from './field-problems.ts';
import { DNS_SUBDOMAIN, nameProblems } from './name-rules.ts';
import { child, text } from './read.ts';
import type { JsonObject } from './types.ts';

const FORM = '; desired format: https://host[/path]';

/** Of an admission webhook or a conversion webhook. */
export function clientConfigProblems(config: JsonObject, path: string): FieldProblem[] {
  const hasUrl = (config['url'] ?? null) !== null;
  if (hasUrl === ((config['service'] ?? null) !== null)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  if (hasUrl) return urlProblems(text(config, 'url'), `${path}.url`);
  return serviceProblems(child(config, 'service'), `${path}.service`);
}

function urlProblems(url: string, field: string): FieldProblem[] {
  const parts = splitUrl(url);
  if (typeof parts === 'string') return [required(field, `url must be a valid URL: ${parts}${FORM}`)];
  const { scheme, user, host, query, fragment } = parts;
  const problems: FieldProblem[] = [];
  if (scheme !== 'https') problems.push(invalidValue(field, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === '') problems.push(invalidValue(field, host, `host must be specified${FORM}`));
  if (user !== undefined) problems.push(invalidValue(field, user, 'user information is not permitted in the URL'));
  if (fragment !== '') problems.push(invalidValue(field, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') problems.push(invalidValue(field, query, 'query parameters are not permitted in the URL'));
  return problems;
}

interface UrlParts {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** As RFC 3986 has it, which is how Go reads a URL: nothing is mended or made up. What is wrong with it, in Go's words. */
function splitUrl(url: string): UrlParts | string {
  const fault = (why: string) => `parse ${JSON.stringify(url)}: ${why}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Go refuses exactly these
  if (/[\x00-\x1f\x7f]/.test(url)) return fault('net/url: invalid control character in URL');
  const [, scheme = '', authority = '', path = '', query = '', fragment = ''] =
    /^(?:([^:/?#]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url) ?? [];
  if (url.startsWith(':')) return fault('missing protocol scheme');
  if (scheme !== '' && !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme)) {
    return fault('first path segment in URL cannot contain colon');
  }
  const badEscape = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(`${authority}${path}`);
  if (badEscape !== null) return fault(`invalid URL escape ${JSON.stringify(badEscape[0])}`);
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (host.includes(' ')) return fault(`invalid character " " in host name`);
  const port = /:([^:\]]*)$/.exec(host)?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) return fault(`invalid port ${JSON.stringify(`:${port}`)} after host`);
  return { scheme: scheme.toLowerCase(), user: at < 0 ? undefined : authority.slice(0, at), host, query, fragment };
}

function portProblem(port: number): string | undefined {
  return port < 1 || port > 65535 ? 'port is not valid: must be between 1 and 65535, inclusive' : undefined;
}

function serviceProblems(service: JsonObject, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  // Upstream's caller hands over name and namespace the other way round, so an empty one is told of the other field.
  if (text(service, 'namespace') === '') problems.push(required(`${field}.name`));
  if (text(service, 'name') === '') problems.push(required(`${field}.namespace`));
  const port = typeof service['port'] === 'number' ? service['port'] : 443;
  const fault = portProblem(port);
  if (fault !== undefined) problems.push(invalidValue(`${field}.port`, port, fault));
  return [...problems, ...pathProblems(text(service, 'path'), `${field}.path`)];
}

function pathProblems(path: string, field: string): FieldProblem[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalidValue(field, path, 'segment[0] may not be empty')];
  const problems = path.startsWith('/') ? [] : [invalidValue(field, path, "must start with a '/'")];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return problems.concat(
    steps.flatMap((step, at) => {
      if (step === '') return [invalidValue(field, path, `segment[${at}] may not be empty`)];
      return nameProblems(step, DNS_SUBDOMAIN).map((why) => invalidValue(field, path, `segment[${at}]: ${why}`));
    }),
  );
}
