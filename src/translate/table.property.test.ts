/** Tables: every row that is the tenant's comes back under its own name, and nobody else's comes at all. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import type { JsonObject } from '../k8s/types.ts';
import { ownSide } from '../kinds/at-version.ts';
import { toUpstream } from './object.ts';
import { tableToTenant } from './table.ts';

const label = fc.stringMatching(/^[a-z]([-a-z0-9]{0,6}[a-z0-9])?$/).filter((name) => !name.includes('--'));
const row = fc.record({ name: label, namespace: label, owner: fc.constantFrom('acme', 'globex', 'acme-eu') });

describe.each(['/pods', '/namespaces', 'rbac.authorization.k8s.io/rolebindings', '/persistentvolumes'])('%s', (of) => {
  const scopes = new Map(
    ['acme', 'globex', 'acme-eu'].map((id) => {
      const scope = scopeOf(id, { profile: 'trusted', tenants: ['acme', 'globex', 'acme-eu'] });
      return [id, { scope, at: ownSide(kindAt(scope, of)) }];
    }),
  );

  function upstreamRow({ name, namespace, owner }: { name: string; namespace: string; owner: string }): JsonObject {
    const { scope, at } = scopes.get(owner) ?? { scope: scopeOf(owner), at: kindAt(scopeOf(owner), of) };
    const metadata = at.kind.namespaced ? { name, namespace } : { name };
    const object = toUpstream({ metadata }, at, scope);
    const stored = object['metadata'] as JsonObject;
    return {
      cells: [stored['name'] ?? '', '5d'],
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: stored },
    };
  }

  it('has the rows of its tenant, in their order and by their names', () => {
    const { scope, at } = scopes.get('acme') ?? { scope: scopeOf('acme'), at: kindAt(scopeOf('acme'), of) };
    fc.assert(
      fc.property(fc.array(row, { maxLength: 6 }), (rows) => {
        const columnDefinitions = [
          { name: 'Name', type: 'string', format: 'name' },
          { name: 'Age', type: 'string', format: '' },
        ];
        const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {}, columnDefinitions };
        const leftOut: Error[] = [];
        const shown = tableToTenant({ ...table, rows: rows.map(upstreamRow) }, at, scope, (error) =>
          leftOut.push(error),
        );
        const own = rows.filter(({ owner }) => owner === 'acme');
        const found = (shown['rows'] as JsonObject[]).map(({ cells, object }) => {
          const { name, namespace } = (object as JsonObject)['metadata'] as JsonObject;
          return { cells, name, namespace };
        });
        expect(found).toEqual(
          own.map(({ name, namespace }) => ({
            cells: [name, '5d'],
            name,
            namespace: at.kind.namespaced ? namespace : undefined,
          })),
        );
        expect(leftOut).toHaveLength(rows.length - own.length);
        expect(JSON.stringify(shown)).not.toContain('--');
      }),
    );
  });
});
