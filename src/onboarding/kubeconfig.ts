/**
 * Kubeconfigs with everything inside them, so that they can be copied anywhere: made whole, or merged into a file that is
 * there. A merge touches only the entries that carry our names and keeps comments, order and all else of the file.
 *
 * What is written holds a private key or a token, so its file is for its owner only.
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
 */
import { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import type { CertificatePair } from '../pki/certificates.ts';

/** One context, with its cluster and user, under the names that these have in the file. */
export interface Entry {
  readonly context: string;
  readonly cluster: string;
  readonly user: string;
  readonly server: string;
  readonly caPem: string;
  readonly credential: Credential;
}

/** An issuer from which a plugin of kubectl gets tokens, for who is at the keyboard. */
export interface OidcLogin {
  readonly issuer: string;
  readonly clientId: string;
}

export type Credential = CertificatePair | { readonly token: string } | { readonly oidc: OidcLogin };

/** The text of a kubeconfig with this context alone, which is the current one. */
export function newKubeconfig(entry: Entry): string {
  return put(new Document({ apiVersion: 'v1', kind: 'Config' }), entry);
}

/**
 * The text with this context added, or replaced, and made the current one.
 * @throws {Error} when the text is no kubeconfig. `file` is for the message
 */
export function mergedKubeconfig(text: string, file: string, entry: Entry): string {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined)
    throw new Error(`${file} is not valid YAML, so nothing was merged into it: ${error.message}`);
  if (document.contents !== null && (!isMap(document.contents) || document.get('kind') !== 'Config')) {
    throw new Error(`${file} is not a kubeconfig, so nothing was merged into it; choose another file`);
  }
  return put(document as Document, entry);
}

/** Merges into a file, which is made when it is not there. */
export function mergeIntoFile(file: string, entry: Entry): void {
  const merged = existsSync(file) ? mergedKubeconfig(readFileSync(file, 'utf8'), file, entry) : newKubeconfig(entry);
  writePrivateFile(file, merged);
}

/** Serial number of the client certificate of the first user in a kubeconfig; undefined when there is none. */
export function serialInKubeconfig(text: string): string | undefined {
  const data = parseDocument(text).getIn(['users', 0, 'user', 'client-certificate-data']);
  if (typeof data !== 'string') return undefined;
  try {
    return new X509Certificate(Buffer.from(data, 'base64')).serialNumber;
  } catch {
    return undefined;
  }
}

/** Writes a file that holds a key: readable by its owner only, and whole or not at all. */
export function writePrivateFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}

function put(document: Document, entry: Entry): string {
  const { context, cluster, user, server, caPem, credential } = entry;
  if (document.contents === null)
    document.contents = document.createNode({ apiVersion: 'v1', kind: 'Config' }) as never;
  putNamed(document, 'clusters', cluster, { cluster: { server, 'certificate-authority-data': base64(caPem) } });
  putNamed(document, 'users', user, { user: userOf(credential) });
  putNamed(document, 'contexts', context, { context: { cluster, user } });
  document.set('current-context', context);
  return document.toString({ lineWidth: 0 });
}

function userOf(credential: Credential): Record<string, unknown> {
  if ('token' in credential) return { token: credential.token };
  if ('oidc' in credential) return { exec: execOf(credential.oidc) };
  return {
    'client-certificate-data': base64(credential.certPem),
    'client-key-data': base64(credential.keyPem),
  };
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins */
function execOf({ issuer, clientId }: OidcLogin): Record<string, unknown> {
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'kubectl',
    args: ['oidc-login', 'get-token', `--oidc-issuer-url=${issuer}`, `--oidc-client-id=${clientId}`],
    installHint: 'install the plugin with: kubectl krew install oidc-login',
    interactiveMode: 'IfAvailable',
    provideClusterInfo: false,
  };
}

function putNamed(document: Document, list: string, name: string, value: Record<string, unknown>): void {
  if (!isSeq(document.get(list))) document.set(list, document.createNode([]));
  const entries = document.get(list) as YAMLSeq;
  const made = document.createNode({ name, ...value });
  const at = entries.items.findIndex((item) => isMap(item) && (item as YAMLMap).get('name') === name);
  if (at < 0) entries.items.push(made);
  else entries.items[at] = made;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
