/**
 * Types of expressions from schemas of OpenAPI v3, as the API server declares them when it checks a policy against the
 * kinds that its rules name. They are made as fields are looked at: the schema of a kind may name itself.
 *
 * @see k8s.io/apiserver pkg/cel/common/schemas.go (SchemaDeclType), openapi/resolver/refs.go at v0.36
 */
import type { StructType, StructTypes } from '../environment.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  structOf,
  TIMESTAMP,
  type Type,
} from '../types.ts';

export interface SchemaNode {
  readonly [key: string]: unknown;
}

export interface SchemaTypes {
  readonly type: Type;
  readonly structs: StructTypes;
}

const REFERENCE = '#/components/schemas/';
const INT_OR_STRING = 'int-or-string';
const FORMATS: Readonly<Record<string, Type>> = {
  byte: BYTES,
  duration: DURATION,
  date: TIMESTAMP,
  'date-time': TIMESTAMP,
};
const SCALARS: Readonly<Record<string, Type>> = { boolean: BOOL, number: DOUBLE, integer: INT };
/** Names that no identifier may be. @see k8s.io/apiserver pkg/cel/escaping.go */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const PLAIN = /^[A-Za-z_][A-Za-z0-9_./-]*$/;
const ROOT: SchemaNode = {
  kind: { type: 'string' },
  apiVersion: { type: 'string' },
  metadata: { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } },
};

/**
 * @param name of the type of the root; of what is below, its place is part of the name
 * @param schemas that it refers to
 * @returns undefined for a schema that is no object's
 */
export function schemaTypes(name: string, root: SchemaNode, schemas: SchemaNode): SchemaTypes | undefined {
  const known = new Map<string, StructType>();

  /** Undefined for what expressions cannot name. @param within references that lead here */
  function typeAt(place: string, given: SchemaNode, within: ReadonlySet<string>, isRoot = false): Type | undefined {
    const { schema, inside } = resolved(given, schemas, within);
    if (schema['format'] === INT_OR_STRING || schema['x-kubernetes-int-or-string'] === true) return DYN;
    switch (typeIn(schema)) {
      case 'array': {
        const item = isNode(schema['items']) ? typeAt(`${place}.@idx`, schema['items'], inside) : undefined;
        return item && listOf(item);
      }
      case 'object': {
        const others = schema['additionalProperties'];
        if (!isRoot && isNode(others)) {
          const value = typeAt(`${place}.@elem`, others, inside);
          return value && mapOf(STRING, value);
        }
        known.set(place, structAt(place, schema, inside, isRoot));
        return structOf(place);
      }
      case 'string':
        return FORMATS[String(schema['format'])] ?? STRING;
      default:
        return SCALARS[typeIn(schema)];
    }
  }

  function structAt(place: string, schema: SchemaNode, inside: ReadonlySet<string>, isRoot: boolean): StructType {
    const declared = isNode(schema['properties']) ? schema['properties'] : {};
    const properties = isRoot ? { ...ROOT, ...declared } : declared;
    const byName = new Map(
      Object.entries(properties).flatMap(([key, value]) => {
        const escaped = identifierOf(key);
        return escaped === undefined || !isNode(value) ? [] : [[escaped, value] as const];
      }),
    );
    const types = new Map<string, Type | undefined>();
    return {
      type: structOf(place),
      field(field) {
        // A word that no identifier may be is taken as the name of a field all the same.
        const value = byName.get(field) ?? (RESERVED.has(field) ? byName.get(`__${field}__`) : undefined);
        if (value === undefined) return undefined;
        if (!types.has(field)) types.set(field, typeAt(`${place}.${field}`, value, inside));
        return types.get(field);
      },
    };
  }

  const type = typeAt(name, root, new Set(), true);
  return type?.kind === 'struct' ? { type, structs: (place) => known.get(place) } : undefined;
}

/** A reference that leads into itself is an object of which nothing is known. */
function resolved(given: SchemaNode, schemas: SchemaNode, within: ReadonlySet<string>) {
  const reference = referenceIn(given);
  if (reference === undefined) return { schema: given, inside: within };
  const target = schemas[reference];
  if (within.has(reference) || !isNode(target)) return { schema: { type: 'object' }, inside: within };
  return { schema: target, inside: new Set([...within, reference]) };
}

/** A property of a built-in kind is `{allOf: [{$ref}]}`, with its description and default beside it. */
function referenceIn(schema: SchemaNode): string | undefined {
  const { $ref: own, allOf } = schema;
  const first: unknown = Array.isArray(allOf) ? allOf[0] : undefined;
  const reference = own ?? (isNode(first) ? first['$ref'] : undefined);
  return typeof reference === 'string' && reference.startsWith(REFERENCE)
    ? reference.slice(REFERENCE.length)
    : undefined;
}

/** Of amounts OpenAPI has no type: they are text or numbers, and expressions cannot name them. */
function typeIn({ type }: SchemaNode): string {
  return typeof type === 'string' ? type : '';
}

/** The identifier by which an expression names a field; undefined when there is none. */
function identifierOf(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!PLAIN.test(name)) return undefined;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
