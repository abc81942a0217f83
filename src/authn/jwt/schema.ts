/**
 * The authentication file: `AuthenticationConfiguration` as kube-apiserver reads it, with one field more for each issuer,
 * `tenant`, which says whose users its tokens are. What is not known is refused, so that nothing is thought to hold that
 * does not.
 *
 *   jwt:
 *     - issuer: {url: https://id.example.com, audiences: [kubeveil]}
 *       claimMappings: {username: {claim: email, prefix: ''}, groups: {claim: groups, prefix: ''}}
 *       tenant: {claim: tenants}        # or {name: acme}, or {expression: claims.groups.filter(...)}
 *
 * @see https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-AuthenticationConfiguration
 * @see k8s.io/apiserver pkg/apis/apiserver/validation/validation.go at v0.36
 */
import { z } from 'zod';

const API_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`);
const KUBERNETES = /(^|\.)(kubernetes\.io|k8s\.io)$/;
const EXTRA_KEY = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)\/[a-z0-9/\-._~%!$&'()*+,;=:]+$/;

const text = z.string().min(1);

/** https, and nothing in it that a request would not be sent to. */
const httpsUrl = z.string().superRefine((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== 'https:') context.addIssue('must be an https URL');
  else if (url.username !== '' || url.password !== '') context.addIssue('must not hold a user name or password');
  else if (value.includes('?') || value.includes('#')) context.addIssue('must not have a query or a fragment');
});

const issuer = z
  .strictObject({
    url: httpsUrl,
    discoveryURL: httpsUrl.optional(),
    certificateAuthority: text.optional(),
    audiences: z.array(text).min(1),
    audienceMatchPolicy: z.enum(['', 'MatchAny']).optional(),
  })
  .superRefine(({ url, discoveryURL, audiences, audienceMatchPolicy = '' }, context) => {
    const bare = (one: string) => one.replace(/\/+$/, '');
    if (discoveryURL !== undefined && bare(discoveryURL) === bare(url)) {
      context.addIssue({ code: 'custom', path: ['discoveryURL'], message: 'must be different from url' });
    }
    if (new Set(audiences).size < audiences.length) {
      context.addIssue({ code: 'custom', path: ['audiences'], message: 'must not say one audience twice' });
    }
    if (audiences.length > 1 && audienceMatchPolicy === '') {
      const message = 'must be MatchAny for several audiences';
      context.addIssue({ code: 'custom', path: ['audienceMatchPolicy'], message });
    }
  });

const oneOf = (one: unknown, other: unknown): boolean => (one === undefined) !== (other === undefined);
const EXACTLY_ONE = 'must have either claim or expression';

const prefixedClaim = z
  .strictObject({ claim: text.optional(), prefix: z.string().optional(), expression: text.optional() })
  .refine(({ claim, expression }) => oneOf(claim, expression), EXACTLY_ONE)
  .refine(({ claim, prefix }) => (claim !== undefined) === (prefix !== undefined), {
    path: ['prefix'],
    error: "must be given with claim ('' for none), and not with expression",
  });

const claimOrExpression = z
  .strictObject({ claim: text.optional(), expression: text.optional() })
  .refine(({ claim, expression }) => oneOf(claim, expression), EXACTLY_ONE);

const extra = z.strictObject({
  key: z.string().superRefine((key, context) => {
    const domain = EXTRA_KEY.exec(key)?.[1];
    if (domain === undefined) context.addIssue('must be a lower-case path below a domain, such as example.com/team');
    else if (KUBERNETES.test(domain)) context.addIssue('must not be below a domain of Kubernetes');
  }),
  valueExpression: text,
});

const claimValidationRule = z
  .strictObject({
    claim: text.optional(),
    requiredValue: z.string().optional(),
    expression: text.optional(),
    message: z.string().optional(),
  })
  .refine(({ claim, expression }) => oneOf(claim, expression), EXACTLY_ONE)
  .refine(({ claim, message }) => claim === undefined || message === undefined, 'message goes with expression only')
  .refine(
    ({ expression, requiredValue }) => expression === undefined || requiredValue === undefined,
    'requiredValue goes with claim only',
  );

const tenant = z
  .strictObject({ name: text.optional(), claim: text.optional(), expression: text.optional() })
  .refine(
    (given) => Object.values(given).filter((value) => value !== undefined).length === 1,
    'must have one of name, claim and expression',
  );

const authenticator = z.strictObject({
  issuer,
  claimValidationRules: z.array(claimValidationRule).default([]),
  claimMappings: z.strictObject({
    username: prefixedClaim,
    groups: prefixedClaim.optional(),
    uid: claimOrExpression.optional(),
    extra: z.array(extra).default([]),
  }),
  userValidationRules: z.array(z.strictObject({ expression: text, message: z.string().optional() })).default([]),
  tenant,
});

export const authenticationSchema = z
  .strictObject({
    apiVersion: z.enum(API_VERSIONS as [string, ...string[]]),
    kind: z.literal('AuthenticationConfiguration'),
    jwt: z.array(authenticator).max(64).default([]),
  })
  .superRefine(({ jwt }, context) => {
    const seen = new Set<string>();
    for (const [at, { issuer: one }] of jwt.entries()) {
      for (const [field, url] of [['url', one.url] as const, ['discoveryURL', one.discoveryURL] as const]) {
        const key = `${field} ${url}`;
        const path = ['jwt', at, 'issuer', field];
        if (url !== undefined && seen.has(key)) context.addIssue({ code: 'custom', path, message: 'is there twice' });
        seen.add(key);
      }
    }
  });

export type JwtConfig = z.output<typeof authenticator>;
