/**
 * The ways in which one user may be another, in the order in which they are tried. Each constrained way is for one sort
 * of user, and needs the right to do what the request does while being such a user besides the right to be them.
 *
 * @see https://kep.k8s.io/5284
 * @see k8s.io/apiserver pkg/endpoints/filters/impersonation/mode.go at v0.36
 */
import type { ApiError } from '../errors.ts';
import type { Identity } from '../exchange.ts';
import { invalidValue } from '../k8s/field-problems.ts';
import { DNS_LABEL, DNS_SUBDOMAIN, type NameRule } from '../k8s/name-rules.ts';
import { type Attributes, type Decision, MASTERS } from '../k8s/rbac.ts';
import { goQuote } from '../lib/go-quote.ts';
import { forbidden } from './authorize.ts';

/** Whom the sender wants to be, as its headers say. */
export interface Wanted {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

type Decide = (asked: Attributes) => Decision;

export interface ImpersonationMode {
  applies(wanted: Wanted, sender: Identity): boolean;
  /** Undefined when the sender may. @param request what is to be done as the other user */
  refusal(wanted: Wanted, sender: Identity, request: Attributes, decide: Decide): ApiError | undefined;
  /** The groups of who it becomes, but for those that everybody has. */
  groups(wanted: Wanted): readonly string[];
}

const ACCOUNTS = 'system:serviceaccounts';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const AUTHENTICATION = 'authentication.k8s.io';
/** So many checks of one sort are first tried as one, of `*`. */
const MANY = 4;
/** Of an HTTP path, the characters that need no escaping. */
const PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

export const IMPERSONATION_MODES: readonly ImpersonationMode[] = [
  constrained(
    'associated-node',
    (wanted, sender) =>
      isOnlyName(wanted) &&
      accountOf(sender.username) !== undefined &&
      nodeOf(wanted.username) !== undefined &&
      isOne(sender.extra[NODE_NAME], nodeOf(wanted.username)),
  ),
  constrained('arbitrary-node', (wanted) => isOnlyName(wanted) && nodeOf(wanted.username) !== undefined),
  constrained('serviceaccount', (wanted) => isOnlyName(wanted) && accountOf(wanted.username) !== undefined),
  constrained('user-info', ({ username }) => nodeOf(username) === undefined && accountOf(username) === undefined),
  {
    applies: () => true,
    refusal: (wanted, sender, _request, decide) => partsRefusal('impersonate', '', wanted, sender, decide),
    groups: ({ username, groups }) => (groups.length > 0 ? groups : accountGroups(username)),
  },
];

function constrained(mode: string, applies: ImpersonationMode['applies']): ImpersonationMode {
  return {
    applies,
    refusal(wanted, sender, request, decide) {
      const on = { ...request, verb: `impersonate-on:${mode}:${request.verb}` };
      return askFor(on, sender, decide) ?? partsRefusal(`impersonate:${mode}`, AUTHENTICATION, wanted, sender, decide);
    },
    groups({ username, groups }) {
      if (nodeOf(username) !== undefined) return ['system:nodes'];
      return groups.length > 0 ? groups : accountGroups(username);
    },
  };
}

/** @param group of users and groups: the constrained modes have them in another than the old one */
function partsRefusal(
  verb: string,
  group: string,
  wanted: Wanted,
  sender: Identity,
  decide: Decide,
): ApiError | undefined {
  const part = (of: { group?: string; resource: string; subresource?: string; namespace?: string; name: string }) =>
    ({ isResource: true, verb, group, subresource: '', namespace: '', ...of }) as const;
  const ask = (of: Parameters<typeof part>[0]) => askFor(part(of), sender, decide);
  const isConstrained = group !== '';
  const node = isConstrained ? nodeOf(wanted.username) : undefined;
  const account = accountOf(wanted.username);
  const name =
    account !== undefined
      ? { ...account, resource: 'serviceaccounts' }
      : node !== undefined
        ? { resource: 'nodes', name: verb === 'impersonate:associated-node' ? '*' : node }
        : { resource: 'users', name: wanted.username };
  const groups = (): ApiError | undefined => {
    const why = isConstrained ? groupsProblem(wanted.groups) : undefined;
    if (why !== undefined) return forbidden(sender, part({ resource: 'groups', name: why.name }), why.message);
    if (isConstrained && wanted.groups.length >= MANY && ask({ resource: 'groups', name: '*' }) === undefined) return;
    return first(wanted.groups, (one) => ask({ resource: 'groups', name: one }));
  };
  const extra = (): ApiError | undefined => {
    const all = Object.entries(wanted.extra);
    const values = all.flatMap(([key, list]) => list.map((value) => ({ subresource: key, name: value })));
    const of = { group: AUTHENTICATION, resource: 'userextras' };
    const why = isConstrained ? first(all, extraProblem) : undefined;
    if (why !== undefined) return forbidden(sender, part({ ...of, name: '' }), why);
    const isMany = isConstrained && values.length >= MANY;
    if (isMany && ask({ ...of, subresource: '*', name: '*' }) === undefined) return;
    return first(values, (one) => ask({ ...of, ...one }));
  };
  const uid = () =>
    wanted.uid === '' ? undefined : ask({ group: AUTHENTICATION, resource: 'uids', name: wanted.uid });
  return ask(name) ?? uid() ?? groups() ?? extra();
}

function askFor(asked: Attributes, sender: Identity, decide: Decide): ApiError | undefined {
  const { allowed, reason } = decide(asked);
  return allowed ? undefined : forbidden(sender, asked, reason);
}

/** What only the old way of impersonation lets pass. */
function groupsProblem(groups: readonly string[]): { name: string; message: string } | undefined {
  if (groups.includes('')) return { name: '', message: 'impersonating the empty string group is not allowed' };
  if (!groups.includes(MASTERS)) return undefined;
  return { name: MASTERS, message: `impersonating the ${MASTERS} group is not allowed` };
}

function extraProblem([key, values]: [string, readonly string[]]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  const [, host = '', path = ''] = /^([^/]+)\/(.+)$/.exec(key) ?? [];
  if (!isNamed(host, DNS_SUBDOMAIN) || !PATH.test(path)) {
    const { field, message } = invalidValue('extra.key', key, 'must be a domain-prefixed path (such as "acme.io/foo")');
    return `impersonating an invalid key in extra is not allowed: ${field}: ${message}`;
  }
  if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined;
}

function first<T, Found>(list: readonly T[], find: (one: T) => Found | undefined): Found | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isOnlyName({ uid, groups, extra }: Wanted): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

function isOne(values: readonly string[] | undefined, value: string | undefined): boolean {
  return values?.length === 1 && values[0] === value;
}

function nodeOf(username: string): string | undefined {
  const name = /^system:node:(.*)$/s.exec(username)?.[1];
  return name !== undefined && isNamed(name, DNS_SUBDOMAIN) ? name : undefined;
}

function accountOf(username: string): { namespace: string; name: string } | undefined {
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]*):([^:]*)$/s.exec(username) ?? [];
  return isNamed(namespace, DNS_LABEL) && isNamed(name, DNS_SUBDOMAIN) ? { namespace, name } : undefined;
}

function isNamed(name: string, rule: NameRule): boolean {
  return name.length <= rule.max && rule.problem(name) === undefined;
}

function accountGroups(username: string): readonly string[] {
  const account = accountOf(username);
  return account === undefined ? [] : [ACCOUNTS, `${ACCOUNTS}:${account.namespace}`];
}
