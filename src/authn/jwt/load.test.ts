import { describe, expect, it } from 'vitest';
import { parseAuthentication } from './load.ts';

const GOOD = {
  issuer: { url: 'https://id.example.com', audiences: ['a'] },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
  tenant: { claim: 'tenant' },
};
function parse(entry: object, rest: object = {}) {
  const file = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt: [entry], ...rest };
  return parseAuthentication(JSON.stringify(file), 'auth.yaml', Date.now);
}

describe('an authentication file', () => {
  it('has its issuers by their URL, in any version of the API', () => {
    for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
      const issuers = parse(GOOD, { apiVersion: `apiserver.config.k8s.io/${version}` });
      expect(issuers.get('https://id.example.com')).toBeDefined();
      expect(issuers.get('https://id.example.com/')).toBeUndefined();
    }
  });

  const { issuer, claimMappings } = GOOD;
  it.each<[string, object, string]>([
    [
      'an issuer without https',
      { ...GOOD, issuer: { ...issuer, url: 'http://id.example.com' } },
      'must be an https URL',
    ],
    ['no audience', { ...GOOD, issuer: { ...issuer, audiences: [] } }, 'audiences'],
    [
      'two audiences of which both might be meant',
      { ...GOOD, issuer: { ...issuer, audiences: ['a', 'b'] } },
      'MatchAny',
    ],
    ['a name without a word on its prefix', { ...GOOD, claimMappings: { username: { claim: 'sub' } } }, 'prefix'],
    [
      'a name by two ways',
      { ...GOOD, claimMappings: { username: { claim: 'sub', prefix: '', expression: '"x"' } } },
      'either',
    ],
    [
      'an expression that is none',
      { ...GOOD, claimMappings: { username: { expression: 'claims.' } } },
      'compilation failed',
    ],
    [
      'a rule that is no condition',
      { ...GOOD, claimValidationRules: [{ expression: 'claims.x' }] },
      'must evaluate to bool',
    ],
    [
      'extra below a domain of Kubernetes',
      { ...GOOD, claimMappings: { ...claimMappings, extra: [{ key: 'x.k8s.io/a', valueExpression: '"x"' }] } },
      'domain of Kubernetes',
    ],
    ['no word on the tenant', { ...GOOD, tenant: undefined }, 'tenant'],
    ['two words on the tenant', { ...GOOD, tenant: { name: 'acme', claim: 'x' } }, 'one of name'],
    ['what is not known', { ...GOOD, signingAlgorithms: ['none'] }, 'signingAlgorithms'],
  ])('with %s is refused', (_what, entry, words) => {
    expect(() => parse(entry)).toThrow(words);
  });

  it('with one issuer twice, anonymous access or no YAML is refused', () => {
    expect(() => parse(GOOD, { jwt: [GOOD, GOOD] })).toThrow('is there twice');
    expect(() => parse(GOOD, { anonymous: { enabled: true } })).toThrow('anonymous');
    expect(() => parseAuthentication('a: [', 'auth.yaml', Date.now)).toThrow('auth.yaml is not valid');
  });
});
