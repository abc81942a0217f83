/** Classes and volumes as trusted tenants make them: one of each kind. */
import type { JsonObject } from '../../src/k8s/types.ts';

export function priority(name: string, value: number, more: JsonObject = {}) {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, ...more };
}

export function storage(name: string, annotations: JsonObject = {}) {
  const metadata = { name, annotations };
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata, provisioner: 'example.com/none' };
}

export function volume(name: string, storageClassName: string | undefined, more: JsonObject = {}) {
  const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/tmp/x' }, ...more };
  const chosen = storageClassName === undefined ? {} : { storageClassName };
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec: { ...spec, ...chosen } };
}

export function everyClass(name: string): JsonObject[] {
  return [
    storage(name),
    priority(name, 100),
    { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name }, handler: 'runc' },
    { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name }, spec: { controller: 'a.b/c' } },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttributesClass',
      metadata: { name },
      driverName: 'a.b',
      parameters: { a: 'b' },
    },
    { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name }, spec: {} },
    volume(name, name),
  ];
}
