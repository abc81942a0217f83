/**
 * The certificate that the node cache shows: of an authority of its own, made once and kept in its folder. `ca.crt` there
 * is what kubeconfigs of this node name; a new serving certificate is made with each start.
 */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type CertificatePair, createAuthority, issueServer } from '../pki/certificates.ts';

export interface Serving extends CertificatePair {
  readonly caPem: string;
}

export async function servingIdentity(folder: string, host: string): Promise<Serving> {
  const authority = await ownAuthority(folder);
  const addresses = new Set(['127.0.0.1', '::1', ...(isIP(host) === 0 ? [] : [host])]);
  const certificate = await issueServer(authority, {
    commonName: 'kubeveil-node-cache',
    dnsNames: ['localhost', ...(isIP(host) === 0 ? [host] : [])],
    ipAddresses: [...addresses],
  });
  return { ...certificate, caPem: authority.certPem };
}

async function ownAuthority(folder: string): Promise<CertificatePair> {
  const certFile = join(folder, 'ca.crt');
  const keyFile = join(folder, 'ca.key');
  try {
    return { certPem: await readFile(certFile, 'utf8'), keyPem: await readFile(keyFile, 'utf8') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  // Others on the node read the certificate; what is beside it they do not.
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const made = await createAuthority([{ CN: ['kubeveil node cache'] }]);
  await put(keyFile, made.keyPem, 0o600);
  await put(certFile, made.certPem, 0o644);
  return made;
}

async function put(file: string, text: string, mode: number): Promise<void> {
  await writeFile(`${file}.next`, text, { mode });
  await chmod(`${file}.next`, mode);
  await rename(`${file}.next`, file);
}
