/**
 * Every setting of `kubeveil serve`, each once: the command line makes its options of this table, the environment and
 * the file are read by it, and the docs list it. A setting `listen` is `--listen`, `KUBEVEIL_LISTEN` and, in the file,
 * `listen`; `publicUrl` is `--public-url`, `KUBEVEIL_PUBLIC_URL` and `publicUrl`.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import { durationWithin } from '../lib/duration.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Text such as `30s` -> milliseconds. */
function duration(min: string, max: string) {
  return z.string().transform((text, context) => {
    const read = durationWithin(text, min, max);
    if ('ms' in read) return read.ms;
    context.addIssue(read.problem);
    return z.NEVER;
  });
}

/** `host:port`, `:port` or `port`; an IPv6 address stands in brackets. */
const address = z.string().transform((text, context): ListenAddress => {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^\s:[\]/]*):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) {
    context.addIssue('must be HOST:PORT with a port from 0 to 65535, such as 0.0.0.0:8443');
    return z.NEVER;
  }
  const host = match[1] ?? '';
  return { host: host === '' ? '0.0.0.0' : host.replace(/^\[|\]$/g, ''), port };
});

export interface AdvertisedAddresses {
  readonly addresses: readonly string[];
  readonly port: number;
}

/** `10.0.0.5:8443,10.0.0.6:8443`: what may stand in an EndpointSlice, which has one family and one port. */
const advertised = z.string().transform((text, context): AdvertisedAddresses => {
  const pairs = text.split(',').map((part) => /^\[?([0-9a-fA-F.:]+?)\]?:(\d{1,5})$/.exec(part.trim()));
  const addresses = pairs.map((pair) => pair?.[1] ?? '');
  const ports = pairs.map((pair) => Number(pair?.[2]));
  const [port = 0] = ports;
  const families = new Set(addresses.map((one) => isIP(one)));
  if (families.size > 1 || families.has(0) || port < 1 || port > 65_535 || ports.some((one) => one !== port)) {
    context.addIssue('must be IP:PORT, or several with commas between them, of one family and with one port');
    return z.NEVER;
  }
  // The API server refuses them as endpoints.
  if (addresses.some((one) => /^(127\.|0\.0\.0\.0$|169\.254\.|::1?$|fe80:)/i.test(one))) {
    context.addIssue('must be addresses that pods reach: no loopback, link-local or unspecified address');
    return z.NEVER;
  }
  return { addresses, port };
});

export interface PodAddress {
  readonly host: string;
  readonly port: number;
}

/** `10.96.0.20:443`, `[2001:db8::5]:443`, or a name. */
const podAddress = z.string().transform((text, context): PodAddress => {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([a-z0-9]+(?:[-.][a-z0-9]+)*)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2] ?? '';
  const port = Number(match?.[3]);
  const isHost = match?.[1] === undefined ? !/^[\d.]+$/.test(host) || isIP(host) === 4 : isIP(host) === 6;
  if (match === null || !isHost || port < 1 || port > 65_535) {
    context.addIssue('must be IP:PORT or NAME:PORT; an IPv6 address stands in brackets');
    return z.NEVER;
  }
  return { host, port };
});

const ipAddress = z.string().refine((text) => isIP(text) !== 0, 'must be an IP address');

const domain = z
  .string()
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    'must be a domain, such as tenants.cluster.local',
  )
  .max(100, 'must have no more than 100 characters');

const httpsUrl = z.url({
  protocol: /^https$/,
  error: 'must be an https URL, such as https://kubeveil.example.com:8443',
});

/** From the command line, the environment and the file alike: text. */
function count(min: number, max: number) {
  return z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.int().min(min).max(max));
}

export interface Setting {
  /** For `--help` and the docs. */
  readonly help: string;
  /** What the value is called in help: `HOST:PORT`. */
  readonly value: string;
  readonly schema: z.ZodType<unknown, string>;
  /** As text; undefined where there is no value unless one is given. */
  readonly default: string | undefined;
}

export const SETTINGS = {
  listen: {
    help: 'where tenants connect',
    value: 'HOST:PORT',
    schema: address,
    default: '0.0.0.0:8443',
  },
  publicUrl: {
    help: 'URL that kubeconfigs name; when left out https://127.0.0.1 with the port, which leads nowhere from other machines',
    value: 'URL',
    schema: httpsUrl,
    default: undefined,
  },
  advertise: {
    help: 'where pods reach the proxy, the same for every replica: the Service default/kubernetes of each tenant leads there; nowhere when left out',
    value: 'IP:PORT,...',
    schema: advertised,
    default: undefined,
  },
  podAddress: {
    help: 'what KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT say in pods; the first of advertise when left out',
    value: 'HOST:PORT',
    schema: podAddress,
    default: undefined,
  },
  podDns: {
    help: 'name server of pods: the cluster’s own, which must have the rule of deploy/dns; pods keep the host’s names when left out',
    value: 'IP',
    schema: ipAddress,
    default: undefined,
  },
  podDnsSuffix: {
    help: 'domain that this rule rewrites',
    value: 'DOMAIN',
    schema: domain,
    default: 'tenants.cluster.local',
  },
  kubeconfig: {
    help: 'kubeconfig of the host cluster; the pod’s own service account when left out',
    value: 'FILE',
    schema: z.string().min(1),
    default: undefined,
  },
  context: {
    help: 'context of that kubeconfig; its current one when left out',
    value: 'NAME',
    schema: z.string().min(1),
    default: undefined,
  },
  policies: {
    help: 'folder of the policy files; when left out ./policies if it is there, else the one of the package',
    value: 'FOLDER',
    schema: z.string().min(1),
    default: undefined,
  },
  authentication: {
    help: 'file with the issuers of users’ tokens (AuthenticationConfiguration); none when left out',
    value: 'FILE',
    schema: z.string().min(1),
    default: undefined,
  },
  auditFile: {
    help: 'file that an audit event for each request is added to, one a line, or - for stdout; opened anew at SIGHUP',
    value: 'FILE',
    schema: z.string().min(1),
    default: undefined,
  },
  auditWebhook: {
    help: 'URL that audit events are posted to, in lists',
    value: 'URL',
    schema: httpsUrl,
    default: undefined,
  },
  auditWebhookCa: {
    help: 'file with the CA of that URL; those of the system when left out',
    value: 'FILE',
    schema: z.string().min(1),
    default: undefined,
  },
  auditWebhookToken: {
    help: 'file with a bearer token for that URL, read anew for each request',
    value: 'FILE',
    schema: z.string().min(1),
    default: undefined,
  },
  logLevel: {
    help: 'error, warn, info or debug',
    value: 'LEVEL',
    schema: z.enum(['error', 'warn', 'info', 'debug']),
    default: 'info',
  },
  requestTimeout: {
    help: 'how long a request may take that is no watch',
    value: 'DURATION',
    schema: duration('1s', '10m'),
    default: '60s',
  },
  shutdownGrace: {
    help: 'how long requests may go on after SIGTERM',
    value: 'DURATION',
    schema: duration('0s', '10m'),
    default: '10s',
  },
  maxConnections: {
    help: 'connections at once, of all tenants together; over it, who has the most loses an idle one',
    value: 'COUNT',
    schema: count(1, 1_000_000),
    default: '10000',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
type Given<Name extends SettingName> = z.output<(typeof SETTINGS)[Name]['schema']>;
/** Durations are milliseconds. A setting without a default may be undefined. */
export type Config = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name]['default'] extends undefined
    ? Given<Name> | undefined
    : Given<Name>;
};

/** `publicUrl` -> `--public-url`. */
export function flagOf(name: SettingName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `publicUrl` -> `KUBEVEIL_PUBLIC_URL`. */
export function envOf(name: SettingName): string {
  return `KUBEVEIL_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
