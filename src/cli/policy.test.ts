import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkPolicies, diffPolicies, explainPolicy, testPolicies } from './policy.ts';

const HEAD = 'apiVersion: kubeveil.dev/v1alpha1\nkind: Policy\n';
const POLICIES = new URL('../../policies', import.meta.url).pathname;
let folder: string;
let printed: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeveil-policies-'));
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const SERVICE = '{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {type: NodePort}}';

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

describe('policy check', () => {
  it('says which policies there are', () => {
    checkPolicies({ policies: POLICIES });
    expect(printed).toContain('3 policies are valid: default, restricted, trusted');
  });
  it('says what is wrong, and where', () => {
    write('default.yaml', `${HEAD}services: {nodePorts: maybe}`);
    expect(() => checkPolicies({ policies: folder })).toThrow(
      'default.yaml:3:23: services.nodePorts: expected boolean, received string',
    );
  });
});

describe('policy test', () => {
  it('runs the cases of the policies that are shipped, and all of them come out', async () => {
    await testPolicies([], { policies: POLICIES });
    expect(printed).toBe('69 passed, 0 failed\n');
  });

  it('says which cases do not, and fails', async () => {
    write('default.yaml', HEAD);
    const cases = [
      `{name: one, object: ${SERVICE}, allowed: true}`,
      `{name: two, object: ${SERVICE}, refused: something else}`,
      `{name: three, by: host, object: ${SERVICE.replace('NodePort', 'ClusterIP')}, refused: NodePort}`,
      `{name: four, object: ${SERVICE}, refused: NodePort}`,
    ];
    write('default.test.yaml', `cases: [${cases.join(', ')}]`);
    await expect(testPolicies(['default'], { policies: folder })).rejects.toThrow('3 cases');
    expect(printed.split('\n')).toEqual([
      expect.stringMatching(/^FAIL default: one: should be allowed, and is refused: .*no Services of type NodePort/),
      expect.stringMatching(/^FAIL default: two: should be refused with "something else", and is with: .*NodePort/),
      'FAIL default: three: should be refused (NodePort), and is allowed',
      '1 passed, 3 failed',
      '',
    ]);
  });

  it.each([
    ['cases: []', 'there is no list of cases'],
    [`cases: [{name: a, object: ${SERVICE}}]`, 'case 1 must have a name, an object, and either'],
    [`cases: [{name: a, object: ${SERVICE}, allowed: true, refused: a}]`, 'case 1 must have'],
    [`cases: [{name: a, by: nobody, object: ${SERVICE}, allowed: true}]`, 'case 1 must have'],
  ])('does not run %j', async (text, why) => {
    write('default.yaml', HEAD);
    write('default.test.yaml', text);
    await expect(testPolicies([], { policies: folder })).rejects.toThrow(why);
  });
});

describe('policy explain and diff', () => {
  it('show every setting, also what the profile says', () => {
    explainPolicy('restricted', { policies: POLICIES, output: 'table' });
    expect(printed).toMatch(/^podSecurity +restricted$/m);
    expect(printed).toMatch(/^pods\.alwaysPullImages +true$/m);
    expect(printed).toMatch(/^limits\.watches +2000$/m);
    expect(() => explainPolicy('gone', { policies: POLICIES, output: 'table' })).toThrow(
      'there is no policy "gone"; there are: default, restricted, trusted',
    );
  });
  it('show where two policies differ, of two folders too', () => {
    diffPolicies('default', 'trusted', { policies: POLICIES });
    expect(printed).toMatch(/^SETTING +DEFAULT +TRUSTED$/m);
    expect(printed).toMatch(/^services\.nodePorts +false +true$/m);
    expect(printed).not.toMatch(/^limits\.watches /m);
    printed = '';
    write('default.yaml', `${HEAD}limits: {watches: 7}`);
    diffPolicies(`${POLICIES}/restricted`, `${folder}/default.yaml`, {});
    expect(printed).toMatch(/^limits\.watches +2000 +7$/m);
    printed = '';
    diffPolicies('default', 'default', { policies: POLICIES });
    expect(printed).toBe('they say the same\n');
  });
});
