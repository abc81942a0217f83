/**
 * Writes what is made of a live API server's OpenAPI for each virtual kind of the table: its CRD under deploy/,
 * how strategic merge patches treat its fields and which columns its Tables have, under src/virtual/.
 *
 *   node test/tools/virtual-crds.ts KUBECONFIG
 *
 * test/integration/virtual.test.ts holds that what is committed is what this makes.
 */
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { JsonObject, JsonValue } from '../../src/k8s/types.ts';
import { type Kind, VIRTUAL_VERSION } from '../../src/kinds/kind.ts';
import { KINDS } from '../../src/kinds/table.ts';
import { type Fetch, fetchFrom } from './live.ts';
import { makeVirtualCrd } from './virtual-schema/crd.ts';
import { patchSchema } from './virtual-schema/patch-schema.ts';
import { schemaOfKind, schemasOf } from './virtual-schema/schema.ts';

const ROOT = new URL('../../', import.meta.url);
const HEAD = `# Made from the OpenAPI of Kubernetes by test/tools/virtual-crds.ts: change it there.
# Objects of this kind are tenants' own; nothing on the host gives them meaning.
`;

/** Kinds of class `virtual` under any profile. */
export function virtualKinds(): Kind[] {
  return KINDS.filter((kind) => Object.values(kind.classes).includes('virtual'));
}

/** File name from the project's root -> content, for all virtual kinds. */
export async function virtualFiles(fetch: Fetch): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const patches: JsonObject = {};
  for (const kind of virtualKinds()) {
    const version = VIRTUAL_VERSION;
    const document = await fetch(`/openapi/v3/apis/${kind.group}/${version}`);
    const crd = makeVirtualCrd(kind, version, document);
    files.set(`deploy/60-virtual-${kind.resource}.yaml`, HEAD + stringify(crd, { lineWidth: 120 }));
    const schema = schemaOfKind(document, kind.group, version, kind.kind);
    patches[`${kind.group}/${kind.resource}`] = patchSchema(schema, schemasOf(document));
  }
  files.set('src/virtual/table-columns.generated.json', `${JSON.stringify(await tableColumns(fetch), null, 1)}\n`);
  files.set('src/virtual/patch-schemas.generated.json', `${JSON.stringify(patches, null, 1)}\n`);
  return files;
}

/** `group/resource` -> the columns of its Tables: of the virtual kinds, and of namespaces, some of which are not stored. */
async function tableColumns(fetch: Fetch): Promise<Record<string, JsonValue>> {
  const columns: Record<string, JsonValue> = {};
  const paths = virtualKinds().map(({ group, resource }) => [`${group}/${resource}`, `/apis/${group}/v1/${resource}`]);
  for (const [key = '', path = ''] of [['/namespaces', '/api/v1/namespaces'], ...paths]) {
    const table = await fetch(`${path}?limit=1`, 'application/json;as=Table;v=v1;g=meta.k8s.io');
    columns[key] = table['columnDefinitions'] ?? null;
  }
  return columns;
}

if (import.meta.main) {
  for (const [name, content] of await virtualFiles(fetchFrom(process.argv[2] ?? ''))) {
    writeFileSync(new URL(name, ROOT), content);
  }
}
