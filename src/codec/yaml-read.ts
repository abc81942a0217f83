/**
 * One YAML document -> JSON values, read as kube-apiserver reads it: YAML 1.1 booleans and octals, but times stay text.
 *
 * Of a key that stands twice the last value counts, and it is told. Refuses what has no JSON form or is only good for
 * mischief: several documents, keys that are no scalars, tags beyond JSON's, infinities, more aliases, levels or text than the caps, and aliases that make much
 * out of little. Still, YAML costs twenty times what JSON costs, and a document that means ill costs more: whatever a
 * client sent is read by `yaml-queue.ts`, on a thread that has a deadline.
 *
 * @see sigs.k8s.io/yaml (YAMLToJSON), as k8s.io/apimachinery v0.36 uses it
 */
import {
  Composer,
  type Document,
  type DocumentOptions,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  visit,
  type YAMLMap,
} from 'yaml';
import type { RepeatedKey } from '../k8s/repeated-key.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { JsonSyntaxError, MAX_JSON_DEPTH } from './json.ts';
import { MAX_REPEATED_KEYS } from './repeated-keys.ts';
import { isNestedDeeper } from './yaml-shape.ts';

/** Characters of YAML text: as large as the largest body that the host takes. */
export const MAX_YAML_CHARACTERS = 3 * 1024 * 1024;
const MAX_ALIASES = 100;
/** What a document may be as JSON, in about characters: aliases can make a hundred times more of it. */
const MAX_JSON_SIZE = 3 * MAX_YAML_CHARACTERS;
/** About what a value costs beside its characters. */
const VALUE_SIZE = 4;
const MERGE_KEY = '<<';
/** Without a JSON form, or not what Kubernetes makes of them. */
const DROPPED_TAGS = new Set(['timestamp', 'binary', 'set', 'omap', 'pairs'].map((tag) => `tag:yaml.org,2002:${tag}`));

const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions & { logLevel: 'silent' } = {
  version: '1.1',
  merge: true,
  intAsBigInt: true,
  // Both are quadratic; keys are compared below, and of the errors only the first is told.
  uniqueKeys: false,
  prettyErrors: false,
  stringKeys: true,
  logLevel: 'silent',
  customTags: (tags) =>
    tags.filter((tag) => typeof tag === 'string' || (!DROPPED_TAGS.has(tag.tag) && tag.format !== 'TIME')),
};

const rawJson = (JSON as unknown as { rawJSON(text: string): JsonValue }).rawJSON;

/** A document, with the keys in it that stand more than once: of them the last value counts. */
export interface YamlDocument {
  readonly document: JsonValue;
  readonly repeated: readonly RepeatedKey[];
}

/** @throws {JsonSyntaxError} fit for the sender, with the line; also for a key that stands twice */
export function parseYaml(text: string): JsonValue {
  const { document, repeated } = readYaml(text);
  const [first] = repeated;
  if (first === undefined) return document;
  throw new JsonSyntaxError(`yaml: line ${first.line}: key ${JSON.stringify(first.path.at(-1))} already set in map`);
}

/** @throws {JsonSyntaxError} fit for the sender, with the line */
export function readYaml(text: string): YamlDocument {
  if (text.length > MAX_YAML_CHARACTERS) {
    throw new JsonSyntaxError(`YAML is taken up to ${MAX_YAML_CHARACTERS} characters: send this document as JSON`);
  }
  if (isNestedDeeper(text, MAX_JSON_DEPTH)) throw tooDeep();
  let plain: unknown;
  let repeated: RepeatedKey[];
  try {
    const { document, lines } = compose(text);
    repeated = repeatedKeys(document, lines);
    plain = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    if (cause instanceof JsonSyntaxError) throw cause;
    if (cause instanceof RangeError) throw new JsonSyntaxError('yaml: nested too deep', { cause });
    if (cause instanceof ReferenceError) throw new JsonSyntaxError('yaml: too many or unresolved aliases', { cause });
    throw new JsonSyntaxError('yaml: unreadable', { cause });
  }
  return { document: new Converter().value(plain, 0), repeated };
}

function compose(text: string): { document: Document; lines: LineCounter } {
  const lines = new LineCounter();
  const documents: Document[] = [];
  for (const document of new Composer(OPTIONS).compose(new Parser(lines.addNewLine).parse(text))) {
    if (documents.push(document) > 1) throw new JsonSyntaxError('yaml: only one document is taken');
  }
  const [document] = documents;
  if (document === undefined) throw new JsonSyntaxError('yaml: the document is empty');
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault !== undefined) {
    if ('code' in fault && fault.code === 'RESOURCE_EXHAUSTION') throw tooDeep();
    const { line, col } = lines.linePos(fault.pos[0]);
    throw new JsonSyntaxError(`yaml: ${firstLine(fault.message)} at line ${line}, column ${col}`);
  }
  return { document, lines };
}

/** Keys that stand more than once in one map. Merge keys may. */
function repeatedKeys(document: Document, lines: LineCounter): RepeatedKey[] {
  const found: RepeatedKey[] = [];
  visit(document, {
    Map(_key, map, above) {
      for (const key of repeatedIn(map)) {
        const { line } = lines.linePos(key.offset);
        found.push({ path: [...stepsOf([...above, map]), key.name], line, after: key.after });
        if (found.length === MAX_REPEATED_KEYS) return visit.BREAK;
      }
      return undefined;
    },
  });
  return found;
}

interface FoundKey {
  readonly name: string;
  readonly offset: number;
  readonly after: number;
}

function repeatedIn(map: YAMLMap): FoundKey[] {
  const seen = new Set<string>();
  const repeated: FoundKey[] = [];
  for (const { key } of map.items) {
    if (!isScalar(key) || key.value === MERGE_KEY) continue;
    const name = String(key.value);
    if (seen.has(name)) repeated.push({ name, offset: key.range?.[0] ?? 0, after: seen.size });
    seen.add(name);
  }
  return repeated;
}

/** Keys and positions from the top to the last of these nodes, each of which holds the next. */
function stepsOf(nodes: readonly unknown[]): (string | number)[] {
  return nodes.flatMap((node, index): (string | number)[] => {
    if (isPair(node)) return [String(isScalar(node.key) ? node.key.value : '')];
    return isSeq(node) ? [node.items.indexOf(nodes[index + 1])] : [];
  });
}

/** Where and what, without the excerpt of the document that follows: it may be a secret on its way to a log. */
function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '');
}

function tooDeep(): JsonSyntaxError {
  return new JsonSyntaxError(`yaml: nested deeper than ${MAX_JSON_DEPTH} levels`);
}

/** Copies what the parser made, in which what an alias names is one object however often it stands. */
class Converter {
  #size = 0;

  value(value: unknown, depth: number): JsonValue {
    if (depth > MAX_JSON_DEPTH) throw tooDeep();
    this.#grow(VALUE_SIZE);
    switch (typeof value) {
      case 'string':
        this.#grow(value.length);
        return value;
      case 'boolean':
        return value;
      case 'bigint':
        return String(Number(value)) === value.toString() ? Number(value) : rawJson(value.toString());
      case 'number':
        if (!Number.isFinite(value)) throw new JsonSyntaxError('yaml: infinities and NaN have no JSON form');
        return value;
      case 'object':
        if (value === null) return null;
        if (Array.isArray(value)) return value.map((item) => this.value(item, depth + 1));
        return this.#object(value, depth);
      default:
        throw new JsonSyntaxError('yaml: a value has no JSON form');
    }
  }

  #object(value: object, depth: number): JsonObject {
    const object: JsonObject = {};
    for (const [key, each] of Object.entries(value)) {
      this.#grow(key.length);
      // Defined, not assigned: `__proto__` is a key like any other.
      Object.defineProperty(object, key, {
        value: this.value(each, depth + 1),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return object;
  }

  #grow(size: number): void {
    this.#size += size;
    if (this.#size > MAX_JSON_SIZE) throw new JsonSyntaxError('yaml: its aliases make too much of it: send JSON');
  }
}
