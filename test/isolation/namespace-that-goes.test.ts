/**
 * A namespace that is being deleted and cannot go yet: its guard gets no right on kinds that are defined meanwhile, and
 * lists over all namespaces are whole all the same.
 */
import { afterAll, expect, it } from 'vitest';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { jsonOf } from '../support/http.ts';
import { eventually } from '../support/processes.ts';

const { acme } = useProduct();
const SPACE = 'goes-slowly';
const GROUP = 'slow.example.com';
const CRD = `crumbs.${GROUP}`;

afterAll(async () => {
  await acme.kubectl(`patch configmap holds -n ${SPACE} --type=merge -p {"metadata":{"finalizers":null}}`);
  await acme.kubectl(`delete crd ${CRD}`);
  await acme.kubectl('delete namespace stays-slowly --wait=false');
});

it('keeps no kind that is defined meanwhile from being listed over all namespaces', async () => {
  await acme.kubectl('create namespace stays-slowly');
  await acme.kubectl(`create namespace ${SPACE}`);
  const metadata = { name: 'holds', namespace: SPACE, finalizers: ['example.com/held'] };
  await acme.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  await acme.kubectl(`delete namespace ${SPACE} --wait=false`);
  await eventually('it holds nothing else', async () => {
    const space = jsonOf<KubeObject>(await acme.send(`/api/v1/namespaces/${SPACE}`));
    const { items = [] } = jsonOf<{ items?: KubeObject[] }>(await acme.send(`/api/v1/namespaces/${SPACE}/configmaps`));
    return space.metadata.deletionTimestamp !== undefined && items.length === 1;
  });
  const schema = { openAPIV3Schema: { type: 'object' } };
  await acme.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: CRD },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'crumbs', kind: 'Crumb' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await acme.kubectl(`wait --for=condition=Established crd/${CRD}`);
  const crumb = { apiVersion: `${GROUP}/v1`, kind: 'Crumb', metadata: { name: 'one', namespace: 'stays-slowly' } };
  await acme.create(crumb);
  const answer = await acme.send(`/apis/${GROUP}/v1/crumbs`);
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  expect(jsonOf<{ items: KubeObject[] }>(answer).items.map(({ metadata: { name } }) => name)).toEqual(['one']);
});
