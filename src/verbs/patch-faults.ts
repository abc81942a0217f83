/**
 * What is wrong with a patch, in the API server's words, where it is the proxy that applies it: there the object that it
 * makes is written as a whole, and refused as a body that the client never sent.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/patch.go (applyPatchToObject) and k8s.io/apimachinery
 *   pkg/apis/meta/v1/validation/validation.go (ValidatePatchOptions) at v0.36
 */
import { ApiError, invalid } from '../errors.ts';
import type { Body, Reply } from '../exchange.ts';
import { forbiddenField, invalidValue } from '../k8s/field-problems.ts';
import { uidOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, splitApiVersion } from '../k8s/types.ts';
import { warningHeaders } from '../lib/warning-header.ts';
import type { Call } from './call.ts';

const APPLY = 'application/apply-patch+yaml';
/** A body that does not decode, or is of another version. */
const UNDECODED = /^.* cannot be handled as a \S+: |^(?=the API version in the data )/;
const NO_OBJECT = { group: '', what: '', name: '' };

/** @throws {ApiError} ERR_INVALID; ERR_BAD_REQUEST for an apply of what does not say what it is */
export function checkPatch({ info, at }: Call, { contentType, document }: Body): void {
  // Of other kinds upstream says so itself; here the type would be filled in.
  if (contentType === APPLY && at.class === 'virtual' && isObject(document)) {
    const { apiVersion, kind } = document;
    if (apiVersion && kind) return;
    const [group, version] = splitApiVersion(String(apiVersion ?? ''));
    throw new ApiError('ERR_BAD_REQUEST', `invalid object type: ${group}/${version}, Kind=${String(kind ?? '')}`);
  }
  if (contentType === APPLY || !info.query.has('force')) return;
  const problem = forbiddenField('force', 'may not be specified for non-apply patch');
  throw invalid({ ...NO_OBJECT, group: 'meta.k8s.io', what: 'PatchOptions' }, [problem]);
}

/**
 * Runs what writes the outcome of a patch: of what does not decode the patch is to blame.
 * @throws {ApiError} ERR_INVALID, and whatever else `write` throws
 */
export async function blamingPatch({ document, contentType }: Body, write: () => Promise<Reply>): Promise<Reply> {
  // An apply is the object itself.
  if (contentType === APPLY) return await write();
  let reply: Reply;
  try {
    reply = await write();
  } catch (error) {
    const why = error instanceof ApiError && error.code === 'ERR_BAD_REQUEST' ? undecoded(error.message) : undefined;
    if (why === undefined) throw error;
    throw invalid(NO_OBJECT, [invalidValue('patch', JSON.stringify(document), why)]);
  }
  const why = reply.kind === 'object' && reply.status === 400 ? undecoded(reply.object['message']) : undefined;
  if (why === undefined) return reply;
  throw invalid(NO_OBJECT, [invalidValue('patch', JSON.stringify(document), why)]);
}

const MERGES = new Set(['application/merge-patch+json', 'application/strategic-merge-patch+json']);

/**
 * Keys that stand twice in a patch whose outcome is written as a whole: what the client is to be warned of.
 * @throws {ApiError} ERR_INVALID where the client asked for strictness
 */
export function repeatedInPatch({ info }: Call, { document, contentType, repeated = [] }: Body): string[] {
  const strictness = info.query.get('fieldValidation') ?? '';
  if (!MERGES.has(contentType) || strictness === 'Ignore') return [];
  const told = [...new Set(repeated.map(({ path }) => `duplicate field ${JSON.stringify(fieldAt(path))}`))];
  if (strictness !== 'Strict' || told.length === 0) return told;
  const why = `strict decoding error: ${told.join(', ')}`;
  throw invalid(NO_OBJECT, [invalidValue('patch', JSON.stringify(document), why)]);
}

/** `metadata.annotations.a`, `rules[0].verbs` */
function fieldAt(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

export function withWarnings(reply: Reply, texts: readonly string[]): Reply {
  if (texts.length === 0 || !('status' in reply) || reply.status >= 300) return reply;
  const headers = reply.headers ?? {};
  return {
    ...reply,
    headers: { ...headers, warning: [...[headers['warning'] ?? []].flat(), ...warningHeaders(texts)] },
  };
}

function undecoded(message: unknown): string | undefined {
  return typeof message === 'string' && UNDECODED.test(message) ? message.replace(UNDECODED, '') : undefined;
}

/**
 * A patch may not make another object of the one it meets. Called before what it made is written, where a uid would be
 * taken for a precondition.
 * @throws {ApiError} ERR_INVALID
 */
export function refuseOtherUid(call: Call, current: JsonObject, patched: JsonObject): void {
  const uid = uidOf(patched);
  if (uid === '' || uid === uidOf(current)) return;
  const { group, name } = call.info;
  throw invalid({ group, what: call.at.kind.kind, name }, [invalidValue('metadata.uid', uid, 'field is immutable')]);
}
