/**
 * The references of a kind as a tree, so that one walk over an object meets all of them and nothing else.
 *
 * Compiled once per kind and subresource. Messages are a tree of their own, walked last: a text can be mapped by the
 * names that the rest of the object has shown to be the tenant's.
 */
import type { Kind, Reference, Target } from '../kinds/kind.ts';

export interface Node {
  /** What the value here is. */
  target?: Target;
  readonly fields: Map<string, Node>;
  /** Of every item, when the value is an array. */
  items?: Node;
  /** Of every value, when the value is a map. */
  values?: Node;
  /** Of every key, when the value is a map. */
  keys?: Target;
  /** Mapped in a whole object that goes up also where it is absent: absent means something upstream. */
  always?: boolean;
}

export interface Tree {
  readonly references: Node;
  readonly messages: Node;
}

const compiled = new WeakMap<Kind, Map<string, Tree>>();
/** Specials for which a value that is left out must be made: no audience, or no class, would mean the host's own. */
const ALWAYS: ReadonlySet<string> = new Set(['tokenAudiences', 'volumeClass']);
const STEP = /^([^[\]{}]+)((?:\[\]|\{\}|\{key\})*)$/;

/** What the body of a request on this subresource holds; `''` is the object itself. */
export function treeOf(kind: Kind, subresource: string): Tree {
  let trees = compiled.get(kind);
  if (trees === undefined) {
    trees = new Map();
    compiled.set(kind, trees);
  }
  let tree = trees.get(subresource);
  if (tree === undefined) {
    tree = compile(referencesOf(kind, subresource));
    trees.set(subresource, tree);
  }
  return tree;
}

/** True when nothing is mapped here or below. */
export function isBlank(node: Node | undefined): boolean {
  return (
    node === undefined ||
    (node.target === undefined &&
      node.fields.size === 0 &&
      node.items === undefined &&
      node.values === undefined &&
      node.keys === undefined)
  );
}

function referencesOf(kind: Kind, subresource: string): readonly Reference[] {
  const sub = Object.hasOwn(kind.subresources, subresource) ? kind.subresources[subresource] : undefined;
  if (sub?.kind !== undefined) return sub.refs ?? [];
  return [...kind.refs, ...(sub?.refs ?? [])];
}

function compile(references: readonly Reference[]): Tree {
  const tree: Tree = { references: blank(), messages: blank() };
  for (const { path, target } of references) {
    add(target.is === 'message' ? tree.messages : tree.references, path, target);
  }
  return tree;
}

function blank(): Node {
  return { fields: new Map() };
}

/** @throws {Error} for a path that does not parse, or two targets at one place: a fault in the table. */
function add(root: Node, path: string, target: Target): void {
  let node = root;
  const isAlways = target.is === 'special' && ALWAYS.has(target.name) && path.startsWith('spec.');
  const steps = path.split('.');
  steps.forEach((step, index) => {
    const [, field, suffix] = STEP.exec(step) ?? [];
    if (field === undefined)
      throw new Error(`reference path ${JSON.stringify(path)}: cannot read ${JSON.stringify(step)}`);
    let next = node.fields.get(field);
    if (next === undefined) {
      next = blank();
      node.fields.set(field, next);
    }
    node = next;
    if (isAlways) node.always = true;
    const marks: string[] = suffix?.match(/\[\]|\{\}|\{key\}/g) ?? [];
    marks.forEach((mark, at) => {
      if (mark === '{key}') {
        if (index !== steps.length - 1 || at !== marks.length - 1)
          throw new Error(`reference path ${path}: {key} must be last`);
        node.keys = target;
      } else if (mark === '[]') node = node.items ??= blank();
      else node = node.values ??= blank();
    });
    if (index === steps.length - 1 && !marks.includes('{key}')) {
      if (node.target !== undefined) throw new Error(`reference path ${path}: two targets at one place`);
      node.target = target;
    }
  });
}
