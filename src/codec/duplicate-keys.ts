/**
 * Keys that stand twice in one object of a JSON document. Parsers keep the last and say nothing; kube-apiserver warns of
 * them or, under `fieldValidation=Strict`, refuses them.
 *
 * @see sigs.k8s.io/json (UnmarshalStrict), as k8s.io/apimachinery v0.36 uses it
 */

export interface DuplicateKey {
  /** `spec.containers[0].name` */
  readonly path: string;
  readonly key: string;
  /** Of the second of the two, from 1. */
  readonly line: number;
}

/** More are not told: as kube-apiserver. */
const MAX_TOLD = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** An object or array that is open. */
interface Level {
  /** Of an object: what it has so far. */
  readonly keys: Set<string> | undefined;
  /** Where the current value stands in it. */
  step: string | number;
  isKeyNext: boolean;
}

/** @param text JSON that has been parsed: of any other text the outcome means nothing */
export function duplicateKeys(text: string): DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const levels: Level[] = [];
  let line = 1;
  for (let at = 0; at < text.length && found.length < MAX_TOLD; at++) {
    const level = levels.at(-1);
    switch (text.charCodeAt(at)) {
      case NEWLINE:
        line++;
        break;
      case QUOTE: {
        const end = endOfString(text, at);
        if (level?.keys !== undefined && level.isKeyNext) {
          const key = keyIn(text.slice(at, end + 1));
          level.step = key;
          if (level.keys.has(key)) found.push({ path: pathOf(levels), key, line });
          level.keys.add(key);
        }
        at = end;
        break;
      }
      case OPEN_OBJECT:
        levels.push({ keys: new Set(), step: '', isKeyNext: true });
        break;
      case OPEN_ARRAY:
        levels.push({ keys: undefined, step: 0, isKeyNext: false });
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        levels.pop();
        break;
      case COLON:
        if (level !== undefined) level.isKeyNext = false;
        break;
      case COMMA:
        if (level?.keys !== undefined) level.isKeyNext = true;
        else if (typeof level?.step === 'number') level.step++;
        break;
    }
  }
  return found;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

function keyIn(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

function pathOf(levels: readonly Level[]): string {
  return levels.reduce((path, { step }) => {
    if (typeof step === 'number') return `${path}[${step}]`;
    return path === '' ? step : `${path}.${step}`;
  }, '');
}
