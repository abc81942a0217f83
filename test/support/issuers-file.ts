/** An authentication file of two issuers, as kube-apiserver reads it but for `tenant`. */
import type { JsonObject } from '../../src/k8s/types.ts';
import type { TestIssuer } from './test-issuer.ts';

/** @param simple read by plain claims. @param rich read by expressions and rules */
export function issuersFile(simple: TestIssuer, rich: TestIssuer): { jwt: JsonObject[] } & JsonObject {
  const issuer = (of: TestIssuer, more: JsonObject = {}) => ({
    url: of.url,
    certificateAuthority: of.caPem,
    audiences: ['kubeveil'],
    ...more,
  });
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: issuer(simple),
        claimMappings: {
          username: { claim: 'email', prefix: 'id:' },
          groups: { claim: 'groups', prefix: 'id:' },
          uid: { claim: 'sub' },
        },
        claimValidationRules: [{ claim: 'hd', requiredValue: 'example.com' }],
        tenant: { claim: 'tenant' },
      },
      {
        issuer: issuer(rich, { audiences: ['kubeveil', 'other'], audienceMatchPolicy: 'MatchAny' }),
        claimMappings: {
          username: { expression: '"rich-" + claims.sub' },
          groups: { expression: 'claims.roles' },
          uid: { expression: 'has(claims.id) ? claims.id : "none"' },
          extra: [
            { key: 'example.com/team', valueExpression: 'claims.team' },
            { key: 'example.com/dotted', valueExpression: 'has(claims.a__dot__b) ? claims.a__dot__b : ""' },
          ],
        },
        claimValidationRules: [{ expression: 'claims.exp - claims.iat <= 3600.0', message: 'lives too long' }],
        userValidationRules: [{ expression: '!user.username.endsWith("-root") && user.groups.size() < 4' }],
        tenant: { expression: 'has(claims.tenants) ? claims.tenants : []' },
      },
    ],
  };
}
