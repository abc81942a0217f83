/**
 * Kubeconfigs for people: made whole, or merged into one that is there. A merge touches only the entries that carry our
 * names and keeps comments, order and everything else of the file.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';

export interface Entry {
  readonly tenant: string;
  readonly user: string;
  readonly server: string;
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

/** `kubeveil-acme`, of cluster and context; the user is `kubeveil-acme-alice`. */
export function contextName(tenant: string): string {
  return `kubeveil-${tenant}`;
}

export function newKubeconfig(entry: Entry): string {
  return mergeInto(new Document({ apiVersion: 'v1', kind: 'Config' }), entry);
}

/** @throws {Error} when the file is no kubeconfig; it is then left as it is */
export function mergedKubeconfig(text: string, file: string, entry: Entry): string {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined)
    throw new Error(`${file} is not valid YAML, so nothing was merged into it: ${error.message}`);
  if (document.contents !== null && (!isMap(document.contents) || document.get('kind') !== 'Config')) {
    throw new Error(`${file} is not a kubeconfig, so nothing was merged into it; choose another file`);
  }
  return mergeInto(document as Document, entry);
}

function mergeInto(document: Document, entry: Entry): string {
  const cluster = contextName(entry.tenant);
  const user = `${cluster}-${entry.user}`;
  if (document.contents === null)
    document.contents = document.createNode({ apiVersion: 'v1', kind: 'Config' }) as never;
  put(document, 'clusters', cluster, {
    cluster: { server: entry.server, 'certificate-authority-data': base64(entry.caPem) },
  });
  put(document, 'users', user, {
    user: { 'client-certificate-data': base64(entry.certPem), 'client-key-data': base64(entry.keyPem) },
  });
  put(document, 'contexts', cluster, { context: { cluster, user } });
  document.set('current-context', cluster);
  return document.toString({ lineWidth: 0 });
}

function put(document: Document, list: string, name: string, value: Record<string, unknown>): void {
  if (!isSeq(document.get(list))) document.set(list, document.createNode([]));
  const entries = document.get(list) as YAMLSeq;
  const made = document.createNode({ name, ...value });
  const at = entries.items.findIndex((item) => isMap(item) && (item as YAMLMap).get('name') === name);
  if (at < 0) entries.items.push(made);
  else entries.items[at] = made;
}

/** Writes a file that holds a key: readable by its owner only, and whole or not at all. */
export function writePrivateFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}

export function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
