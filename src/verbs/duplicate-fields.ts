/**
 * Fields that stand twice in the body of a write: refused under `fieldValidation=Strict`, told in a warning by default.
 * Upstream cannot know of them, as the body that it gets is written anew.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation
 */
import { ApiError, invalid } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { invalidValue } from '../k8s/field-problems.ts';
import type { Call } from './call.ts';

const VALIDATED: ReadonlySet<string> = new Set(['create', 'update', 'patch']);

/** @throws {ApiError} ERR_BAD_REQUEST, of a patch ERR_INVALID */
export function refuseDuplicates(call: Call): void {
  const { body, info } = call;
  const told = duplicatesOf(call);
  if (told.length === 0 || body === undefined || info.query.get('fieldValidation') !== 'Strict') return;
  const why = `strict decoding error: ${told.join(', ')}`;
  if (info.verb === 'patch') throw invalid(NOBODY, [invalidValue('patch', body.document, why)]);
  const { kind } = call.at.kind;
  const message = `${kind} in version ${JSON.stringify(info.version)} cannot be handled as a ${kind}: ${why}`;
  throw new ApiError('ERR_BAD_REQUEST', message);
}

const NOBODY = { group: '', what: '', name: '' };

/** The answer, with a warning of each; a refusal has none, as the API server's has none. */
export function withDuplicatesTold(call: Call, reply: Reply): Reply {
  const told = duplicatesOf(call);
  const isWanted = ['', 'Warn'].includes(call.info.query.get('fieldValidation') ?? '');
  if (told.length === 0 || !isWanted || reply.kind !== 'object' || reply.status >= 400) return reply;
  const given = [reply.headers?.['warning'] ?? []].flat();
  const warning = [...told.map((text) => `299 - ${JSON.stringify(text)}`), ...given];
  return { ...reply, headers: { ...reply.headers, warning } };
}

function duplicatesOf({ body, info }: Call): readonly string[] {
  return VALIDATED.has(info.verb) ? (body?.duplicates ?? []) : [];
}
