/**
 * apiextensions.k8s.io: the tenant's own kinds.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
import type { Kind } from '../kind.ts';
import { conditionRefs, specialRef } from '../refs.ts';
import { native, OPEN } from '../row.ts';

export const APIEXTENSIONS: readonly Kind[] = [
  native({
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
    naming: { is: 'crdName' },
    reason: 'stored under a group of the tenant’s own, so that two tenants may define the same kind differently',
    // A conversion webhook on the host blocks whoever lists that kind, the garbage collector included.
    refs: [
      specialRef('spec.group', 'crdGroup'),
      specialRef('spec.names', 'crdNames'),
      // Rules and columns are run by the host.
      specialRef('spec.versions[].schema', 'crdRules'),
      specialRef('spec.versions[].schema.openAPIV3Schema.properties.items', 'crdItems'),
      specialRef('spec.versions[].additionalPrinterColumns[].jsonPath', 'crdColumn'),
      specialRef('spec.conversion', 'crdConversion'),
      specialRef('status.acceptedNames', 'crdNames'),
      ...conditionRefs(),
    ],
    subresources: { status: OPEN },
  }),
];
