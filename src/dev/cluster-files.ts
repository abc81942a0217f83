/**
 * Everything that the programs of a control plane read from disk: certificates, keys and kubeconfigs, written into the
 * `pki` folder of the work folder. Files are readable by the owner only.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newKubeconfig } from '../onboarding/kubeconfig.ts';
import { type CertificatePair, createAuthority, issueClient, issueServer } from '../pki/certificates.ts';
import { METRICS_HOST } from './metrics-api.ts';
import { createServiceAccountKey } from './service-account-key.ts';

/** First address of the service range, which is that of the Service `default/kubernetes`. */
const KUBERNETES_SERVICE_IP = '10.96.0.1';
export const SERVICE_CIDR = '10.96.0.0/16';

/** Clients that have a kubeconfig file of their own: file name -> who they are. */
const CLIENTS = {
  admin: { user: 'host-admin', groups: ['system:masters'] },
  'kube-controller-manager': { user: 'system:kube-controller-manager' },
  'kube-scheduler': { user: 'system:kube-scheduler' },
  kwok: { user: 'system:kwok', groups: ['system:masters'] },
  'metrics-server': { user: 'system:metrics-server', groups: ['system:masters'] },
} as const;

export interface ClusterFiles {
  readonly authority: CertificatePair;
  readonly admin: CertificatePair;
  readonly adminKubeconfig: string;
  /** Path of a file in the folder: `ca.crt`, `ca.key`, `apiserver.crt`, `admin.kubeconfig`, ... */
  path(name: string): string;
}

/** Makes a new PKI for an API server at `server` and writes all files into `dir`. */
export async function writeClusterFiles(dir: string, server: string): Promise<ClusterFiles> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const path = (name: string) => join(dir, name);
  const write = (name: string, text: string) => writeFile(path(name), text, { mode: 0o600 });
  const writePair = async (name: string, pair: CertificatePair) => {
    await write(`${name}.crt`, pair.certPem);
    await write(`${name}.key`, pair.keyPem);
  };

  const [authority, etcdAuthority, frontProxyAuthority, serviceAccount] = await Promise.all([
    createAuthority([{ CN: ['kubeveil-host-ca'] }]),
    createAuthority([{ CN: ['kubeveil-host-etcd-ca'] }]),
    createAuthority([{ CN: ['kubeveil-host-front-proxy-ca'] }]),
    createServiceAccountKey(),
  ]);
  const [apiserver, etcd, etcdClient, kubelet, kubeletClient, metricsServer, frontProxyClient] = await Promise.all([
    issueServer(authority, {
      commonName: 'kube-apiserver',
      dnsNames: [
        'localhost',
        'kubernetes',
        'kubernetes.default',
        'kubernetes.default.svc',
        'kubernetes.default.svc.cluster.local',
      ],
      ipAddresses: ['127.0.0.1', KUBERNETES_SERVICE_IP],
    }),
    issueServer(etcdAuthority, {
      commonName: 'etcd',
      dnsNames: ['localhost'],
      ipAddresses: ['127.0.0.1'],
      alsoClient: true,
    }),
    issueClient(etcdAuthority, { user: 'kube-apiserver' }),
    issueServer(authority, { commonName: 'dev-kubelet', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }),
    issueClient(authority, { user: 'kube-apiserver-kubelet-client' }),
    issueServer(authority, { commonName: 'metrics-server', dnsNames: [METRICS_HOST], ipAddresses: ['127.0.0.1'] }),
    issueClient(frontProxyAuthority, { user: 'front-proxy-client' }),
  ]);
  await Promise.all([
    writePair('ca', authority),
    write('etcd-ca.crt', etcdAuthority.certPem),
    writePair('apiserver', apiserver),
    writePair('etcd', etcd),
    writePair('etcd-client', etcdClient),
    writePair('kubelet', kubelet),
    writePair('kubelet-client', kubeletClient),
    writePair('metrics-server', metricsServer),
    write('front-proxy-ca.crt', frontProxyAuthority.certPem),
    writePair('front-proxy-client', frontProxyClient),
    write('service-account.key', serviceAccount.keyPem),
    write('service-account.pub', serviceAccount.publicPem),
  ]);

  const kubeconfigs = new Map<string, { client: CertificatePair; text: string }>();
  for (const [name, subject] of Object.entries(CLIENTS)) {
    const client = await issueClient(authority, subject);
    const text = hostKubeconfig(server, authority, subject.user, client);
    await write(`${name}.kubeconfig`, text);
    kubeconfigs.set(name, { client, text });
  }
  const admin = kubeconfigs.get('admin');
  if (admin === undefined) throw new TypeError('CLIENTS has no admin');
  return { authority, admin: admin.client, adminKubeconfig: admin.text, path };
}

/** A kubeconfig of the control plane for one user. */
export function hostKubeconfig(
  server: string,
  authority: Pick<CertificatePair, 'certPem'>,
  user: string,
  credential: CertificatePair,
): string {
  const cluster = 'kubeveil-host';
  const context = `${user}@${cluster}`;
  return newKubeconfig({ context, cluster, user, server, caPem: authority.certPem, credential });
}
