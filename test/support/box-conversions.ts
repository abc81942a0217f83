/** A conversion webhook for boxes, and how it may fail: `v1` has `spec.size: 3x4`, `v2` `spec.width` and `spec.height`. */
import { child, objects, text } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { KubeObject } from './as-tenant.ts';
import type { Behaviour } from './webhook-server.ts';

export const GROUP = 'boxed.example.com';

function converted(object: JsonObject, apiVersion: string): JsonObject {
  const spec = child(object, 'spec');
  const { size, width, height, ...rest } = spec;
  if (apiVersion.endsWith('/v1')) return { ...object, apiVersion, spec: { ...rest, size: `${width}x${height ?? 1}` } };
  const [w, h] = String(size).split('x').map(Number);
  return { ...object, apiVersion, spec: { ...rest, width: w ?? 0, height: h ?? 0 } };
}

function converting(change: (objects: JsonObject[]) => unknown = (all) => all, result: JsonObject = {}): Behaviour {
  return (body) => {
    const request = child(body, 'request');
    const wanted = text(request, 'desiredAPIVersion');
    const convertedObjects = change(objects(request, 'objects').map((object) => converted(object, wanted)));
    const response = { uid: request['uid'], result: { status: 'Success', ...result }, convertedObjects };
    return { body: JSON.stringify({ apiVersion: body['apiVersion'], kind: body['kind'], response }) };
  };
}

const one = (change: (object: KubeObject) => void) =>
  converting((all) => {
    for (const object of all) change(object);
    return all;
  });

export const CONVERSIONS: Readonly<Record<string, Behaviour>> = {
  '/convert': converting(),
  '/fails': converting((all) => all, { status: 'Failure', message: 'no idea how' }),
  '/silent': converting((all) => all, { status: '' }),
  '/few': converting(() => []),
  '/other-version': one((object) => {
    object.apiVersion = `${GROUP}/v3`;
  }),
  '/other-kind': one((object) => {
    object.kind = 'Crate';
  }),
  '/other-name': one((object) => {
    object.metadata.name = 'renamed';
  }),
  '/other-uid': one((object) => {
    object.metadata.uid = 'another';
  }),
  '/labels': one((object) => {
    object.metadata.labels = { converted: 'yes' };
    object.metadata.finalizers = ['not.example.com/mine'];
  }),
  '/500': () => ({ status: 500, body: 'broken', headers: { 'content-type': 'text/plain' } }),
};
