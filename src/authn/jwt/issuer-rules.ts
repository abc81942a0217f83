/**
 * What one issuer's entry in the authentication file makes of the claims of a token: a user, and the tenants whose user it
 * is; or why it makes nothing. Expressions are compiled once and run within a budget.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#using-authentication-configuration
 * @see k8s.io/apiserver plugin/pkg/authenticator/token/oidc/oidc.go at v0.36
 */
import { compile, environmentWith, type Program } from '../../cel/compile.ts';
import type { Budget } from '../../cel/run.ts';
import { BOOL, DYN, type Type } from '../../cel/types.ts';
import { ListValue, type Value } from '../../cel/values.ts';
import type { Identity } from '../../exchange.ts';
import { CREDENTIAL_ID } from '../credential-id.ts';
import { claimsValue } from './claims-value.ts';
import type { JwtConfig } from './schema.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** A token says something that its issuer's rules do not take. The message is for the log. */
class ClaimsRefused extends Error {}

export interface MappedUser {
  readonly identity: Identity;
  /** Ids as the token or the file says them: nobody has looked whether there are such tenants. */
  readonly tenants: readonly string[];
}

const OF_CLAIMS = environmentWith({ variables: { claims: DYN } });
const OF_USER = environmentWith({ variables: { user: DYN } });
/** kube-apiserver's own limit of cost; the time is ours. */
const BUDGET: Budget = { cost: 1_000_000, ms: 20 };

/** @throws {InvalidExpression} for an expression that cannot be compiled; `where` it stands is in front of the message */
export function compileIssuer(config: JwtConfig): (claims: Claims) => MappedUser {
  const { claimMappings, claimValidationRules, userValidationRules, tenant } = config;
  const { username, groups, uid, extra } = claimMappings;
  const programs = {
    username: optional(username.expression),
    groups: optional(groups?.expression),
    uid: optional(uid?.expression),
    extra: extra.map(({ key, valueExpression }) => ({ key, program: compile(valueExpression, OF_CLAIMS) })),
    tenant: optional(tenant.expression),
    rules: claimValidationRules.map((rule) => ({ ...rule, program: optional(rule.expression, [BOOL]) })),
    userRules: userValidationRules.map((rule) => ({ ...rule, program: compile(rule.expression, OF_USER, [BOOL]) })),
  };
  return (claims) => {
    // Made only where an expression asks for it.
    let value: Value | undefined;
    const run = (program: Program): Value => {
      value ??= claimsValue(claims);
      return program.run((name) => (name === 'claims' ? value : undefined), BUDGET).value;
    };
    const identity: Identity = {
      username:
        programs.username === undefined ? usernameOf(claims, username) : oneText('username', run(programs.username)),
      groups: programs.groups === undefined ? groupsOf(claims, groups) : textsOf('groups', run(programs.groups)),
      uid:
        programs.uid !== undefined
          ? anyText('uid', run(programs.uid))
          : uid?.claim === undefined
            ? ''
            : textClaim(claims, uid.claim),
      extra: extraOf(claims, programs.extra, run),
    };
    for (const { claim, requiredValue = '', program, message = '', expression } of programs.rules) {
      if (claim !== undefined && textClaim(claims, claim) !== requiredValue) {
        throw new ClaimsRefused(`the claim ${claim} has not the value that is required`);
      }
      if (program !== undefined && run(program) !== true) {
        throw new ClaimsRefused(`validation expression '${expression}' failed: ${message}`);
      }
    }
    if (programs.userRules.length > 0) checkUser(identity, programs.userRules);
    return { identity, tenants: tenantsOf(claims, tenant, programs.tenant && run(programs.tenant)) };
  };
}

function optional(expression: string | undefined, allowed?: readonly Type[]): Program | undefined {
  return expression === undefined ? undefined : compile(expression, OF_CLAIMS, allowed);
}

function usernameOf(claims: Claims, { claim = '', prefix = '' }: JwtConfig['claimMappings']['username']): string {
  const username = textClaim(claims, claim);
  if (username === '') throw new ClaimsRefused(`the claim ${claim} is empty`);
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified') && claims['email_verified'] !== true) {
    throw new ClaimsRefused('the email address is not verified');
  }
  return prefix + username;
}

function groupsOf(claims: Claims, mapping: JwtConfig['claimMappings']['groups']): readonly string[] {
  const { claim, prefix = '' } = mapping ?? {};
  if (claim === undefined || !Object.hasOwn(claims, claim)) return [];
  return listClaim(claims, claim).map((group) => prefix + group);
}

function extraOf(
  claims: Claims,
  programs: ReadonlyArray<{ key: string; program: Program }>,
  run: (program: Program) => Value,
): Record<string, readonly string[]> {
  const extra: Record<string, readonly string[]> = {};
  const id = Object.hasOwn(claims, 'jti') ? claims['jti'] : undefined;
  if (typeof id === 'string' && id !== '') extra[CREDENTIAL_ID] = [`JTI=${id}`];
  for (const { key, program } of programs) {
    const values = textsOf(`extra ${key}`, run(program));
    if (values.length > 0) extra[key] = values;
  }
  return extra;
}

function checkUser(
  { username, uid, groups, extra }: Identity,
  rules: ReadonlyArray<{ program: Program; expression: string; message?: string | undefined }>,
): void {
  const user = claimsValue({ username, uid, groups, extra });
  for (const { program, expression, message = '' } of rules) {
    if (program.run((name) => (name === 'user' ? user : undefined), BUDGET).value === true) continue;
    throw new ClaimsRefused(`validation expression '${expression}' failed: ${message}`);
  }
}

function tenantsOf(claims: Claims, { name, claim }: JwtConfig['tenant'], made: Value | undefined): readonly string[] {
  if (name !== undefined) return [name];
  if (made !== undefined) return textsOf('tenant', made);
  return claim === undefined || !Object.hasOwn(claims, claim) ? [] : listClaim(claims, claim);
}

function textClaim(claims: Claims, name: string): string {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof value !== 'string') throw new ClaimsRefused(`the claim ${name} is no text`);
  return value;
}

/** A text, or a list of them. */
function listClaim(claims: Claims, name: string): readonly string[] {
  const value = claims[name];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new ClaimsRefused(`the claim ${name} is neither a text nor a list of texts`);
}

function oneText(what: string, value: Value): string {
  if (anyText(what, value) === '') throw new ClaimsRefused(`the ${what} is empty`);
  return value as string;
}

function anyText(what: string, value: Value): string {
  if (typeof value !== 'string') throw new ClaimsRefused(`the expression of the ${what} gives no text`);
  return value;
}

/** Empty texts are none. */
function textsOf(what: string, value: Value): readonly string[] {
  const values = value === null ? [] : value instanceof ListValue ? value.items : [value];
  return values.map((item) => anyText(what, item)).filter((item) => item !== '');
}
