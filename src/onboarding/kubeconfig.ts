/**
 * Kubeconfigs with everything inside them, so that they can be copied anywhere: made whole, or merged into a file that is
 * there. A merge touches only the entries that carry our names and keeps comments, order and all else of the file.
 *
 * What is written holds a private key or a token, so its file is for its owner only.
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
 */
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
  readonly credential: CertificatePair | { readonly token: string };
}

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
  putNamed(document, 'users', user, {
    user:
      'token' in credential
        ? { token: credential.token }
        : {
            'client-certificate-data': base64(credential.certPem),
            'client-key-data': base64(credential.keyPem),
          },
  });
  putNamed(document, 'contexts', context, { context: { cluster, user } });
  document.set('current-context', context);
  return document.toString({ lineWidth: 0 });
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
