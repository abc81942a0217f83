/** Where a webhook's `clientConfig` points: a Service of the tenant, or a URL. */
import { child, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { ServicePlace } from './service-backends.ts';
import { WebhookFailure } from './webhook-failure.ts';

const HTTPS = 443;

export interface Target {
  /** `https://name.namespace.svc:443`, as errors and the header Host have it. */
  readonly origin: string;
  readonly path: string;
  /** For which the certificate must be. */
  readonly host: string;
  readonly port: number;
  /** PEM; undefined where none is given. */
  readonly ca: string | undefined;
  /** Undefined for a URL. */
  readonly service: ServicePlace | undefined;
}

/** @throws {WebhookFailure} */
export function targetOf(clientConfig: JsonObject): Target {
  const bundle = Buffer.from(text(clientConfig, 'caBundle'), 'base64').toString('latin1');
  const ca = bundle.trim() === '' ? undefined : bundle;
  const { service } = clientConfig;
  if (isObject(service)) return serviceTarget(child(clientConfig, 'service'), ca);
  const url = text(clientConfig, 'url');
  if (!URL.canParse(url)) throw new WebhookFailure('webhook configuration must have either service or URL');
  const { protocol, hostname, port, pathname, origin } = new URL(url);
  if (protocol !== 'https:') throw new WebhookFailure('a webhook must be reached by https');
  const host = hostname.replace(/^\[|\]$/g, '');
  return { origin, path: pathname, host, port: port === '' ? HTTPS : Number(port), ca, service: undefined };
}

function serviceTarget(service: JsonObject, ca: string | undefined): Target {
  const { port: given } = service;
  const port = typeof given === 'number' && given !== 0 ? given : HTTPS;
  const [namespace, name] = [text(service, 'namespace'), text(service, 'name')];
  const host = `${name}.${namespace}.svc`;
  const path = `/${text(service, 'path')}`.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return { origin: `https://${host}:${port}`, path, host, port, ca, service: { namespace, name, port } };
}
