/**
 * `url('https://example.com:80/path?k=v')`
 * @see k8s.io/apiserver pkg/cel/library/urls.go at v0.36; Go's net/url
 */
import { goQuote } from '../../lib/go-quote.ts';
import { textCost } from '../cost.ts';
import { declare, member, overload } from '../declare.ts';
import type { Library } from '../environment.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { BOOL, listOf, mapOf, STRING, structOf } from '../types.ts';
import { ListValue, MapValue, Opaque } from '../values.ts';

const URL_TYPE = structOf('kubernetes.URL');

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

class UrlValue extends Opaque {
  readonly typeName = URL_TYPE.name;
  readonly text: string;
  readonly parts: Parts;

  constructor(text: string, parts: Parts) {
    super();
    this.text = text;
    this.parts = parts;
  }

  override equals(other: Opaque): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }
}

// JavaScript's URL mends what it reads; Go takes it as it stands.
const SYNTAX = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/;
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;

/** Undefined for what Go's ParseRequestURI refuses: it must be absolute, or an absolute path. */
function parse(text: string): Parts | undefined {
  const [, scheme = '', authority = '', path = '', query = ''] = SYNTAX.exec(text) ?? [];
  if (text === '' || CONTROL.test(text) || (scheme === '' && !text.startsWith('/'))) return undefined;
  // Without a scheme two slashes begin a path.
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (BAD_ESCAPE.test(path) || /[ "<>\\^`{|}%]/.test(host)) return undefined;
  if (scheme !== '' && authority === '' && !path.startsWith('/') && path === '') return undefined;
  if (!/^(\[[^\]]*\]|[^:]*)(:\d*)?$/.test(host)) return undefined;
  return { scheme: scheme.toLowerCase(), host, path, query };
}

function toUrl(text: string): UrlValue {
  const parts = parse(text);
  if (parts !== undefined) return new UrlValue(text, parts);
  const scheme = text.startsWith(':') ? 'missing protocol scheme' : 'invalid URI for request';
  const why = text === '' ? 'empty url' : scheme;
  throw new EvaluationError(`URL parse error during conversion from string: parse ${goQuote(text)}: ${why}`);
}

const hostname = ({ parts: { host } }: UrlValue) => host.replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
const port = ({ parts: { host } }: UrlValue) => /:(\d*)$/.exec(host)?.[1] ?? '';

function escapedPath({ parts: { path } }: UrlValue): string {
  const legal = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%]*$/;
  return legal.test(path) ? path : encodeURI(decodeURIComponent(path));
}

function query({ parts }: UrlValue): MapValue {
  const map = new MapValue();
  const lists = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(parts.query)) lists.set(key, [...(lists.get(key) ?? []), value]);
  for (const [key, values] of lists) map.set(key, new ListValue(values));
  return map;
}

const part = (name: string, id: string, run: (url: UrlValue) => string) =>
  declare(name, [member(id, [URL_TYPE], STRING, run)]);

export const URL_LIBRARY: Library = {
  types: [URL_TYPE],
  functions: [
    declare('url', [overload('string_to_url', [STRING], URL_TYPE, toUrl)], ([text]) => textCost(text)),
    declare(
      'isURL',
      [overload('is_url_string', [STRING], BOOL, (text: string) => parse(text) !== undefined)],
      ([text]) => textCost(text),
    ),
    part('getScheme', 'url_get_scheme', ({ parts }) => parts.scheme),
    part('getHost', 'url_get_host', ({ parts }) => parts.host),
    part('getHostname', 'url_get_hostname', hostname),
    part('getPort', 'url_get_port', port),
    part('getEscapedPath', 'url_get_escaped_path', escapedPath),
    declare('getQuery', [member('url_get_query', [URL_TYPE], mapOf(STRING, listOf(STRING)), query)]),
  ],
};
