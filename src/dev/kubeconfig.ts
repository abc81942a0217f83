/**
 * A kubeconfig with everything inside it, so that it can be copied anywhere. Holds a private key: write it with mode
 * 0600 only.
 * @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */

import { stringify } from 'yaml';
import type { CertificatePair } from '../pki/certificates.ts';

export interface KubeconfigOptions {
  readonly server: string;
  readonly caPem: string;
  /** Name of the user entry and, with the cluster, of the context. */
  readonly user: string;
  readonly client: CertificatePair;
  /** Default `kubeveil-host`. */
  readonly cluster?: string;
}

/** The kubeconfig as YAML text, with one cluster, one user and one context, which is the current one. */
export function renderKubeconfig(options: KubeconfigOptions): string {
  const { server, caPem, user, client, cluster = 'kubeveil-host' } = options;
  const context = `${user}@${cluster}`;
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': base64(caPem) } }],
      users: [
        {
          name: user,
          user: { 'client-certificate-data': base64(client.certPem), 'client-key-data': base64(client.keyPem) },
        },
      ],
      contexts: [{ name: context, context: { cluster, user } }],
      'current-context': context,
    },
    { lineWidth: 0 },
  );
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
