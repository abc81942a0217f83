/**
 * Types of expressions, and how messages write them.
 * @see github.com/google/cel-go common/types/types.go, checker/format.go at v0.26
 */

export type TypeKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'list'
  | 'map'
  | 'type'
  | 'struct'
  | 'opaque'
  | 'param';

export interface Type {
  readonly kind: TypeKind;
  /** Of a struct, an opaque type or a parameter. */
  readonly name: string;
  readonly params: readonly Type[];
}

const simple = (kind: TypeKind, name: string = kind): Type => ({ kind, name, params: [] });

export const DYN = simple('dyn');
export const ERROR = simple('error', '!error!');
export const NULL = simple('null', 'null_type');
export const BOOL = simple('bool');
export const INT = simple('int');
export const UINT = simple('uint');
export const DOUBLE = simple('double');
export const STRING = simple('string');
export const BYTES = simple('bytes');
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp');
export const DURATION = simple('duration', 'google.protobuf.Duration');
export const TYPE = simple('type');

export const listOf = (element: Type): Type => ({ kind: 'list', name: 'list', params: [element] });
export const mapOf = (key: Type, value: Type): Type => ({ kind: 'map', name: 'map', params: [key, value] });
export const typeOf = (type: Type): Type => ({ kind: 'type', name: 'type', params: [type] });
export const structOf = (name: string): Type => simple('struct', name);
const opaque = (name: string, ...params: Type[]): Type => ({ kind: 'opaque', name, params });
export const param = (name: string): Type => simple('param', name);
export const optionalOf = (type: Type): Type => opaque('optional_type', type);

export function isExactly(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((type, index) => isExactly(type, b.params[index] as Type));
}

/** What is in an optional, when it is one. */
export function unwrapOptional(type: Type): Type | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.params[0] : undefined;
}

/** As the checker's messages write it. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'null':
      return 'null';
    case 'timestamp':
    case 'duration':
      return type.kind;
    default:
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`;
  }
}

/** As a value of the type writes itself: `google.protobuf.Timestamp`, `list(string)`. */
export function nameOfType(type: Type): string {
  return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(nameOfType).join(', ')})`;
}
