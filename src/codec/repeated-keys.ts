/**
 * Keys that stand more than once in one object. JSON.parse keeps the last and tells nobody, but the API server refuses
 * such a document, warns of it or takes it, as `fieldValidation` says, and tells the field or the line. So that it can, a
 * document goes up with its keys as often as they came, at the lines where they came.
 *
 * All but the last stand there as null: the last is what counts, and copies of large values could be made to multiply. So
 * one that stood inside of another is told in the place of the last.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#setting-the-field-validation-level
 * @see sigs.k8s.io/json (UnmarshalStrict), sigs.k8s.io/yaml (UnmarshalStrict) as k8s.io/apimachinery v0.36 uses them
 */
import type { RepeatedKey } from '../k8s/repeated-key.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { endOfString, stringifyJson } from './json.ts';

/** The API server tells of no more in one document. */
export const MAX_REPEATED_KEYS = 100;
const KEY_END = /"[ \t\r\n]*:/g;

/**
 * @param text valid JSON
 * @param document what it was parsed to, by which nearly all texts are known to have no such key
 */
export function findRepeatedKeys(text: string, document: JsonValue): RepeatedKey[] {
  return keysIn(text) === keysOf(document) ? [] : scan(text);
}

/** The document as JSON text, in which these keys stand as often, and where, as they did. */
export function stringifyRepeated(document: JsonValue, repeated: readonly RepeatedKey[]): string {
  if (repeated.length === 0) return stringifyJson(document);
  const root: Place = { children: new Map(), repeated: [] };
  for (const key of repeated) placeAt(root, key.path.slice(0, -1)).repeated.push(key);
  const writer = new Writer();
  writer.value(document, root);
  return writer.text;
}

/** Colons after a quote, of which strings may hold some more than there are keys. */
function keysIn(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(KEY_END)) count++;
  return count;
}

function keysOf(value: JsonValue): number {
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += keysOf(item);
  else if (isObject(value)) for (const each of Object.values(value)) count += 1 + keysOf(each);
  return count;
}

interface Level {
  /** Keys seen so far; undefined in an array. */
  readonly seen: Set<string> | undefined;
  at: string | number;
}

function scan(text: string): RepeatedKey[] {
  const found: RepeatedKey[] = [];
  const levels: Level[] = [];
  let line = 1;
  let isKeyNext = false;
  for (let at = 0; at < text.length && found.length < MAX_REPEATED_KEYS; at++) {
    const char = text[at];
    const level = levels.at(-1);
    if (char === '\n') line++;
    else if (char === '{' || char === '[') {
      isKeyNext = char === '{';
      levels.push(isKeyNext ? { seen: new Set(), at: '' } : { seen: undefined, at: 0 });
    } else if (char === '}' || char === ']') {
      levels.pop();
      isKeyNext = false;
    } else if (char === ',' && level !== undefined) {
      isKeyNext = level.seen !== undefined;
      if (typeof level.at === 'number') level.at++;
    } else if (char === '"') {
      const end = endOfString(text, at);
      if (isKeyNext && level?.seen !== undefined) {
        level.at = JSON.parse(text.slice(at, end + 1)) as string;
        if (level.seen.has(level.at)) found.push({ path: levels.map((one) => one.at), line, after: level.seen.size });
        level.seen.add(level.at);
        isKeyNext = false;
      }
      at = end;
    }
  }
  return found;
}

/** Of the walk that writes: what is repeated in this object, and below. */
interface Place {
  readonly children: Map<string | number, Place>;
  readonly repeated: RepeatedKey[];
}

function placeAt(root: Place, path: RepeatedKey['path']): Place {
  let place = root;
  for (const step of path) {
    const next = place.children.get(step) ?? { children: new Map(), repeated: [] };
    place.children.set(step, next);
    place = next;
  }
  return place;
}

class Writer {
  text = '';
  #line = 1;

  value(value: JsonValue, place: Place | undefined): void {
    if (place === undefined) this.text += stringifyJson(value);
    else if (Array.isArray(value)) this.#array(value, place);
    else if (isObject(value)) this.#object(value, place);
    else this.text += stringifyJson(value);
  }

  #array(items: readonly JsonValue[], place: Place): void {
    this.text += '[';
    for (const [index, item] of items.entries()) {
      if (index > 0) this.text += ',';
      this.value(item, place.children.get(index));
    }
    this.text += ']';
  }

  #object(object: JsonObject, { children, repeated }: Place): void {
    const coming = repeated.filter(({ path }) => Object.hasOwn(object, String(path.at(-1))));
    const left = Map.groupBy(coming, ({ path }) => String(path.at(-1)));
    const written = new Set<string>();
    let separator = '{';
    // Its last value once, whatever order the keys are in by now.
    const isDue = (key: RepeatedKey | undefined, index: number): key is RepeatedKey =>
      key !== undefined && key.after <= index + 1 && written.has(String(key.path.at(-1)));
    const write = (key: string): void => {
      this.text += `${separator}${JSON.stringify(key)}:`;
      separator = ',';
      written.add(key);
      if (left.has(key)) this.text += 'null';
      else this.value(object[key] ?? null, children.get(key));
    };
    for (const [index, key] of Object.keys(object).entries()) {
      write(key);
      const isLast = index === Object.keys(object).length - 1;
      while (isDue(coming[0], isLast ? Number.POSITIVE_INFINITY : index)) {
        const { path, line } = coming.shift() as RepeatedKey;
        const name = String(path.at(-1));
        const rest = left.get(name) ?? [];
        if (rest.length > 1) left.set(name, rest.slice(1));
        else left.delete(name);
        this.#goTo(line);
        write(name);
      }
    }
    this.text += separator === '{' ? '{}' : '}';
  }

  #goTo(line: number): void {
    if (line <= this.#line) return;
    this.text += '\n'.repeat(line - this.#line);
    this.#line = line;
  }
}
