/**
 * Fields that a field selector may ask for, by kind, and what they hold in an object. Only the kinds whose fields the
 * proxy decides by itself are here; of every kind there are `metadata.name` and, where it has one, `metadata.namespace`.
 *
 * What is absent reads as the API server's own default does: it matches its internal object, not the text.
 *
 * @see k8s.io/kubernetes pkg/apis/core/v1/conversion.go and pkg/registry/core/pod/strategy.go at v1.36
 */

import { nameOf, namespaceOf } from './meta.ts';
import { child, text } from './read.ts';
import { isObject, type JsonObject } from './types.ts';

type Fields = Record<string, string>;

const MORE: ReadonlyMap<string, (object: JsonObject) => Fields> = new Map([
  ['/pods', podFields],
  ['/nodes', (object) => ({ 'spec.unschedulable': String(child(object, 'spec')['unschedulable'] === true) })],
  [
    '/services',
    (object) => ({
      'spec.clusterIP': text(child(object, 'spec'), 'clusterIP'),
      'spec.type': text(child(object, 'spec'), 'type'),
    }),
  ],
  ['/namespaces', (object) => ({ 'status.phase': text(child(object, 'status'), 'phase') })],
  ['/secrets', (object) => ({ type: text(object, 'type') })],
]);

export function fieldsOf(object: JsonObject, group: string, resource: string): Fields {
  const namespace = namespaceOf(object);
  return {
    'metadata.name': nameOf(object),
    ...(namespace === '' ? {} : { 'metadata.namespace': namespace }),
    ...MORE.get(`${group}/${resource}`)?.(object),
  };
}

/** True when what `fieldsOf` says of this kind tells whether a selector on the field holds. */
export function isSelectable(field: string, group: string, resource: string, namespaced: boolean): boolean {
  if (field === 'metadata.name') return true;
  if (field === 'metadata.namespace') return namespaced;
  return Object.hasOwn(MORE.get(`${group}/${resource}`)?.(EMPTY) ?? {}, field);
}

const EMPTY: JsonObject = Object.freeze({});

function podFields(object: JsonObject): Fields {
  const spec = child(object, 'spec');
  const status = child(object, 'status');
  const [first] = Array.isArray(status['podIPs']) ? status['podIPs'] : [];
  return {
    'spec.nodeName': text(spec, 'nodeName'),
    'spec.restartPolicy': text(spec, 'restartPolicy'),
    'spec.schedulerName': text(spec, 'schedulerName'),
    'spec.serviceAccountName': text(spec, 'serviceAccountName'),
    'spec.hostNetwork': String(spec['hostNetwork'] === true),
    'status.phase': text(status, 'phase'),
    'status.podIP': isObject(first) ? text(first, 'ip') : '',
    'status.nominatedNodeName': text(status, 'nominatedNodeName'),
  };
}
