/**
 * The key of `extra` by which audit logs, policies and webhooks tell credentials of one user apart: `JTI=` and the id of a
 * token, `X509SHA256=` and the hash of a certificate in hex.
 * @see k8s.io/apiserver pkg/authentication/user/user.go at v0.36 (CredentialIDKey)
 */
export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
