/**
 * What of a mutation does not fit the schema of the kind that it is for: fields that there are not, and values of another
 * sort. Merged all the same, they would be dropped unseen.
 * @see sigs.k8s.io/structured-merge-diff typed/validate.go, typed/helpers.go (ValidationErrors) at v6
 */
import { isObject, type JsonValue } from '../k8s/types.ts';
import type { MergeSchema, Sort } from './schema.ts';

/** In the API server's words; undefined where everything fits. */
export function misfit(wanted: JsonValue, schema: MergeSchema): string | undefined {
  const faults = faultsIn(wanted, schema, '');
  return faults.length > 1 ? ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n') : faults[0];
}

function faultsIn(wanted: JsonValue, schema: MergeSchema | undefined, path: string): string[] {
  if (schema === undefined || wanted === null) return [];
  const sort = sortOf(wanted);
  if (schema.sort !== undefined && schema.sort !== sort) {
    return [`${path}: expected ${EXPECTED[schema.sort](wanted)}`];
  }
  if (Array.isArray(wanted)) {
    return wanted.flatMap((item, index) => faultsIn(item, schema.items(), `${path}[${index}]`));
  }
  if (!isObject(wanted)) return [];
  return Object.entries(wanted).flatMap(([name, value]) => {
    const place = `${path}.${name}`;
    return schema.declares(name)
      ? faultsIn(value, schema.field(name), place)
      : [`${place}: field not declared in schema`];
  });
}

const EXPECTED: Readonly<Record<Sort, (got: JsonValue) => string>> = {
  map: (got) => `map, got &{${printed(got)}}`,
  list: (got) => `list, got &{${printed(got)}}`,
  string: (got) => `string, got &value.valueUnstructured{Value:${printed(got)}}`,
  number: (got) => `numeric (int or float), got ${typeof got === 'boolean' ? 'bool' : typeof got}`,
  boolean: (got) => `boolean, got &{${printed(got)}}`,
};

function sortOf(value: JsonValue): Sort {
  if (isObject(value)) return 'map';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : 'number';
}

function printed(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
