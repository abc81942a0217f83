/**
 * Requests for certificates. A signer of the host would sign membership in any group of the host, so a tenant's requests
 * are virtual: its own signers see them, and the one that is built in signs with the tenant's own CA.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/
 */
import type { Kind, Subresource } from '../kind.ts';
import { OPEN, virtual } from '../row.ts';

/** A write of either changes metadata, too: a custom resource has no such subresource. */
const OF_OBJECT: Subresource = { ...OPEN, ofObject: true };

export const CERTIFICATES: readonly Kind[] = [
  virtual({
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests',
    kind: 'CertificateSigningRequest',
    reason:
      'no signer of the host may see it: the tenant’s CA signs for clients of the tenant, its own signers the rest',
    generation: 'none',
    selectable: ['spec.signerName'],
    unowned: ['spec'],
    filled: { status: {} },
    subresources: { approval: OF_OBJECT, status: OF_OBJECT },
  }),
];
