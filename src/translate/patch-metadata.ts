/**
 * Paths of a JSON patch below `/metadata`. What is the proxy's own is neither set, tested nor removed; where the effect
 * would reach it, the patch needs the object.
 */
import { forbiddenField } from '../k8s/field-problems.ts';
import { isObject, type JsonValue } from '../k8s/types.ts';
import { TENANT_LABEL, type TenantName } from '../tenancy/names.ts';
import { managedFieldsUp } from './managed-fields.ts';
import { holdsMark, keptLabels } from './metadata.ts';
import { checkName, isLabelled, nameToUpstream } from './names-check.ts';
import { isOwn, refuseOwnKeys } from './own-keys.ts';
import { ownersToUpstream, refuseOwnerUid } from './owner-references.ts';
import { type Place, refuseOwnKey } from './patch-place.ts';
import { mapTarget } from './targets/map.ts';
import { namespaceToUpstream } from './targets/namespace.ts';
import { NAMESPACE_NAME_LABEL } from './targets/namespace-selector.ts';
import { isBlank, type Node } from './tree.ts';
import { NeedsLiveObject, type Walk } from './walk.ts';

/** @param rest tokens after `metadata` */
export function metadataPlace(rest: readonly string[], op: string, references: Node, walk: Walk): Place {
  const tokens = ['metadata', ...rest];
  const [field, key, ...deeper] = rest;
  const { scope, at } = walk;
  switch (field) {
    case undefined:
      throw needs(tokens);
    case 'name':
      return {
        tokens,
        map: (value) =>
          text(value, (name) => {
            checkName(name, at, scope);
            return nameToUpstream(name as TenantName, at, scope);
          }),
      };
    case 'namespace':
      return { tokens, map: (value) => namespaceToUpstream(value, scope) };
    case 'generateName':
      throw needs(tokens);
    case 'labels':
    case 'annotations':
      return key === undefined ? wholeMap(field, op, references, walk) : entry(field, key, references, walk, tokens);
    case 'finalizers':
      if (at.kind.naming?.is === 'namespace') throw needs(tokens);
      return { tokens, map: (value) => refusing(value, walk) };
    case 'ownerReferences':
      return owners(tokens, key, deeper, walk);
    case 'managedFields':
      if (key !== undefined) throw needs(tokens);
      return { tokens, map: (value) => managedFieldsUp(value, references, walk) };
    default:
      return { tokens };
  }
}

/** `/metadata/labels` or `/metadata/annotations` as a whole. */
function wholeMap(field: 'labels' | 'annotations', op: string, references: Node, walk: Walk): Place {
  const tokens = ['metadata', field];
  const labelled = isLabelled(walk.at);
  const { kind } = walk.at;
  const isHidden = field === 'labels' ? labelled : op === 'test' || kind.naming?.is === 'namespace' || holdsMark(kind);
  if (isHidden && (field === 'annotations' || op === 'remove' || op === 'copy' || op === 'move')) throw needs(tokens);
  const special = specialNode(references, field);
  return {
    tokens,
    map: (value) => {
      if (!isObject(value)) {
        if (labelled && field === 'labels') throw needs(tokens);
        return value;
      }
      refuseOwnKeys({ [field]: value }, (fault, below) => walk.refuse(fault, `metadata${below}`));
      const mapped = special === undefined ? value : walk.step(`.metadata.${field}`, value, special);
      return labelled && field === 'labels' && isObject(mapped)
        ? { ...keptLabels(walk), ...mapped, [TENANT_LABEL]: walk.scope.tenant.id }
        : mapped;
    },
  };
}

/** One label or annotation. */
function entry(field: string, key: string, references: Node, walk: Walk, tokens: string[]): Place {
  refuseOwnKey(key, tokens, walk);
  if (field === 'labels' && key === NAMESPACE_NAME_LABEL && walk.at.kind.naming?.is === 'namespace') {
    return { tokens, map: (value) => namespaceToUpstream(value, walk.scope) };
  }
  // A special over the annotations maps some of them, each as a whole.
  const special = field === 'annotations' ? specialNode(references, field) : undefined;
  if (special === undefined) return { tokens };
  // Or maps the keys alone.
  if (special.keys !== undefined) return { tokens: ['metadata', field, String(mapTarget(key, special.keys, walk))] };
  return {
    tokens,
    map: (value) => {
      const mapped = walk.step('.metadata.annotations', { [key]: value }, special);
      return isObject(mapped) ? (mapped[key] ?? null) : value;
    },
  };
}

function owners(tokens: string[], key: string | undefined, deeper: readonly string[], walk: Walk): Place {
  if (key === undefined) return { tokens, map: (value) => ownersToUpstream(value, walk) };
  const [field] = deeper;
  if (field === undefined) {
    return {
      tokens,
      map: (value) => {
        const mapped = ownersToUpstream([value], walk);
        return Array.isArray(mapped) ? (mapped[0] ?? null) : value;
      },
    };
  }
  if (field === 'controller' || field === 'blockOwnerDeletion') return { tokens };
  if (field === 'uid') {
    return {
      tokens,
      map: (value) => {
        refuseOwnerUid(value, walk);
        return value;
      },
    };
  }
  throw needs(tokens);
}

function refusing(value: JsonValue, walk: Walk): JsonValue {
  const list = Array.isArray(value) ? value : [value];
  if (list.some(isOwn)) {
    walk.refuse((field) => forbiddenField(field, 'reserved'), 'metadata.finalizers');
  }
  return value;
}

function specialNode(references: Node, field: string): Node | undefined {
  const node = references.fields.get('metadata')?.fields.get(field);
  return node === undefined || isBlank(node) ? undefined : node;
}

function text(value: JsonValue, map: (value: string) => string): JsonValue {
  return typeof value === 'string' && value !== '' ? map(value) : value;
}

function needs(tokens: readonly string[]): NeedsLiveObject {
  return new NeedsLiveObject(`/${tokens.join('/')}`);
}
