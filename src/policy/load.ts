/**
 * Reads `policies/*.yaml`: all of them or none, so that what is served is always what some version of the files says.
 * Every problem of every file is told at once, with file, line and column, and what was expected there.
 */
import { basename } from 'node:path';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { type PolicyTexts, readPolicyFolder } from './folder.ts';
import { createPolicies, type Policies } from './policy.ts';
import { type PolicyFile, policySchema } from './schema.ts';

const FILE = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.yaml$/;
/** The files are wrong. The message has a line for each problem. */
export class PolicyError extends Error {
  /** `policies/default.yaml:7:3: limits.watches: expected number, received string`. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the policy files are not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'PolicyError';
    this.problems = problems;
  }
}

/** @throws {PolicyError} also when the folder has no policy named `default`. */
export function loadPolicies(folder: string): Policies {
  return parsePolicies(folder, readPolicyFolder(folder));
}

/** @throws {PolicyError} as {@link loadPolicies} */
export function parsePolicies(folder: string, { texts, problems: unread }: PolicyTexts): Policies {
  const files = new Map<string, PolicyFile>();
  const problems = [...unread];
  for (const [path, text] of texts) {
    const name = FILE.exec(basename(path))?.[1];
    if (name === undefined) {
      problems.push(`${path}: the file's name must be lower-case letters, digits and dashes, and end in .yaml`);
      continue;
    }
    try {
      files.set(name, parsePolicy(text, path));
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length === 0 && !files.has('default')) {
    problems.push(`${folder}: there is no default.yaml, which tenants have that name no policy`);
  }
  if (problems.length > 0) throw new PolicyError(problems);
  return createPolicies(files);
}

/** @throws {PolicyError} */
export function parsePolicy(text: string, path: string): PolicyFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, stringKeys: true });
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) throw new PolicyError(faults.map((fault) => `${place(fault.pos[0])}: ${fault.message}`));
  const result = policySchema.safeParse(document.toJS({ maxAliasCount: 10 }));
  if (result.success) return result.data;
  throw new PolicyError(result.error.issues.flatMap((issue) => describe(issue, document, place, text)));
}

function describe(
  issue: z.core.$ZodIssue,
  document: Document,
  place: (offset: number) => string,
  text: string,
): string[] {
  const where = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  const path = where.join('').replace(/^\./, '');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const full = path === '' ? key : `${path}.${key}`;
      return `${place(keyOffset(document, issue.path, key))}: ${full}: there is no such setting`;
    });
  }
  if (issue.code === 'invalid_key') {
    const key = String(issue.path.at(-1));
    const why = words(issue.issues[0]?.message ?? issue.message);
    return [`${place(keyOffset(document, issue.path.slice(0, -1), key))}: ${path}: ${why}`];
  }
  const at = issue.code === 'custom' ? issue.params?.['at'] : undefined;
  if (typeof at === 'number')
    return [`${place(offsetWithin(document, issue.path, at, text))}: ${path}: ${issue.message}`];
  return [`${place(valueOffset(document, issue.path))}: ${path === '' ? '' : `${path}: `}${words(issue.message)}`];
}

function words(message: string): string {
  return message.replace(/^Invalid (?:input|option): /, '');
}

/** Of the value at a path, or of the nearest thing around it that is in the file. */
function valueOffset(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/**
 * Of a place inside a text, however the file writes it: quoted, folded or as a block. White space is what these differ in;
 * escapes, which expressions do without, lead a little astray.
 */
function offsetWithin(document: Document, path: readonly PropertyKey[], at: number, file: string): number {
  const node = document.getIn(path, true);
  if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return valueOffset(document, path);
  const isBlock = node.type === 'BLOCK_FOLDED' || node.type === 'BLOCK_LITERAL';
  const start = isBlock ? file.indexOf('\n', node.range[0]) : node.range[0] + (node.type === 'PLAIN' ? 0 : 1);
  let left = node.value.slice(0, at).replaceAll(/\s/g, '').length;
  for (let offset = start; offset < node.range[1]; offset++) {
    if (/\s/.test(file[offset] ?? '')) continue;
    if (left === 0) return offset;
    left -= 1;
  }
  return node.range[0];
}

function keyOffset(document: Document, path: readonly PropertyKey[], key: string): number {
  const map = path.length === 0 ? document.contents : document.getIn(path, true);
  const pair = isMap(map) ? map.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
  return isNode(pair?.key) && pair.key.range ? pair.key.range[0] : valueOffset(document, path);
}
