/** `kubeveil policy check | test | explain | diff`: the policy files, without any cluster. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadPolicies } from '../policy/load.ts';
import type { Policies, Policy } from '../policy/policy.ts';
import { type Format, print, structured, table } from './output.ts';
import { policiesFolder } from './policies.ts';
import { caseRunner, readCases } from './policy-cases.ts';

interface FolderOption {
  policies?: string;
}

/** @throws {PolicyError} which has a line for each problem */
export function checkPolicies({ policies: given }: FolderOption): void {
  const folder = policiesFolder(given);
  const { names } = loadPolicies(folder);
  print(`${folder}: ${names.size} policies are valid: ${[...names].sort().join(', ')}`);
}

/** @throws {Error} when a case does not come out as its file says */
export async function testPolicies(names: readonly string[], { policies: given }: FolderOption): Promise<void> {
  const folder = policiesFolder(given);
  const policies = loadPolicies(folder);
  const chosen = names.length > 0 ? names : [...policies.names].sort();
  let passed = 0;
  let failed = 0;
  for (const name of chosen) {
    const policy = named(policies, name);
    const file = join(folder, `${name}.test.yaml`);
    if (!existsSync(file)) {
      print(`${name}: no cases (${name}.test.yaml is not there)`);
      continue;
    }
    const run = caseRunner(policy, policies.rulesPolicy);
    for (const one of readCases(file)) {
      const fault = await run(one);
      if (fault === undefined) passed += 1;
      else {
        failed += 1;
        print(`FAIL ${name}: ${one.name}: ${fault}`);
      }
    }
  }
  print(`${passed} passed, ${failed} failed`);
  if (failed > 0) throw new Error(`${failed} cases did not come out as their files say`);
}

export function explainPolicy(name: string, { policies: given, output }: FolderOption & { output: Format }): void {
  const settings = named(loadPolicies(policiesFolder(given)), name).explain();
  if (output !== 'table') print(structured(output, settings));
  else print(table(['SETTING', 'VALUE'], flat(settings)));
}

/** @param left a policy's name, or a folder and a name: `old/policies/default` */
export function diffPolicies(left: string, right: string, { policies: given }: FolderOption): void {
  const [before, after] = [left, right].map((text) => new Map(flat(find(text, given).explain()))) as [
    Map<string, string>,
    Map<string, string>,
  ];
  const rows = [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .map((key) => [key, before.get(key) ?? '', after.get(key) ?? ''])
    .filter(([, one, other]) => one !== other);
  print(rows.length === 0 ? 'they say the same' : table(['SETTING', left.toUpperCase(), right.toUpperCase()], rows));
}

function find(text: string, given: string | undefined): Policy {
  const at = text.lastIndexOf('/');
  const folder = at < 0 ? policiesFolder(given) : policiesFolder(text.slice(0, at));
  return named(loadPolicies(folder), text.slice(at + 1).replace(/\.yaml$/, ''));
}

function named(policies: Policies, name: string): Policy {
  if (policies.names.has(name)) return policies.of({ policy: name });
  throw new Error(`there is no policy ${JSON.stringify(name)}; there are: ${[...policies.names].sort().join(', ')}`);
}

/** Each setting with its path: `pods.images`, `rules.pods-have-owners.message`. Lists stand in one line. */
function flat(value: unknown, path = ''): [string, string][] {
  if (isNamed(value)) return value.flatMap(({ name, ...rest }) => flat(rest, `${path}.${name}`));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, shown(value)]];
  const entries = Object.entries(value);
  if (entries.length === 0) return [[path, '{}']];
  return entries.flatMap(([key, below]) => flat(below, path === '' ? key : `${path}.${key}`));
}

/** A list whose items have names: each is shown by its own. */
function isNamed(value: unknown): value is Array<Record<string, unknown>> {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item?.name === 'string');
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'unlimited');
}
