/** The vectors of virtual kinds, as files: what is taken and refused, of every kind. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { Profile } from '../../src/kinds/kind.ts';
import { kindOf } from '../../src/kinds/table.ts';
import { type Change, changed } from './differential.ts';

export interface VirtualVectors {
  readonly resource: string;
  readonly group: string;
  readonly kind: string;
  /** Of kinds whose names say something; any other will do. */
  readonly name?: string;
  readonly valid: JsonObject;
  readonly cases: readonly Change[];
  /** Of the stored object, whole. */
  readonly updates: readonly Change[];
  /** Of its subresource `status`. */
  readonly statuses: readonly Change[];
}

const FOLDER = new URL('../vectors/virtual/', import.meta.url);

export function virtualVectors(): VirtualVectors[] {
  return readdirSync(FOLDER).map((file) => ({
    statuses: [],
    ...(parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Omit<VirtualVectors, 'resource' | 'statuses'>),
    resource: file.replace('.yaml', ''),
  }));
}

export function isNamespaced({ group, resource }: Pick<VirtualVectors, 'group' | 'resource'>): boolean {
  return kindOf(group, resource)?.namespaced === true;
}

/** Path of the native collection, of a namespaced kind that in the namespace `default`. */
export function collectionOf(vectors: Pick<VirtualVectors, 'group' | 'resource'>): string {
  const within = isNamespaced(vectors) ? '/namespaces/default' : '';
  return `/apis/${vectors.group}/v1${within}/${vectors.resource}`;
}

/** The valid object under this name, where its kind lets it have any, with the changes. */
export function sample(vectors: VirtualVectors, name: string, change: Change = {}): JsonObject {
  const { group, kind, valid } = vectors;
  return changed({ apiVersion: `${group}/v1`, kind, metadata: { name: vectors.name ?? name }, ...valid }, change);
}

/** One valid object of each virtual kind that tenants under a profile have; without one, that every tenant has. */
export function virtualSamples(name: string, profile: Profile = 'baseline'): JsonObject[] {
  return virtualVectors()
    .filter(({ group, resource }) => kindOf(group, resource)?.classes[profile] === 'virtual')
    .map((vectors) => sample(vectors, name));
}
