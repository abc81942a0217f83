import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from './load.ts';
import { envOf, flagOf } from './settings.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeveil-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, 'kubeveil.yaml');
  writeFileSync(path, text);
  return path;
}

function problems(sources: Parameters<typeof loadConfig>[0]): readonly string[] {
  try {
    loadConfig({ env: {}, ...sources });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('has a default for all that needs one', () => {
    expect(loadConfig({ env: {} })).toEqual({
      listen: { host: '0.0.0.0', port: 8443 },
      logLevel: 'info',
      requestTimeout: 60_000,
      shutdownGrace: 10_000,
      maxConnections: 10_000,
      podDnsSuffix: 'tenants.cluster.local',
    });
  });

  it('weighs the command line over the environment over the file', () => {
    const path = file('listen: 127.0.0.1:1\npolicies: from-file\nrequestTimeout: 5s\n');
    const env = { KUBEVEIL_LISTEN: '127.0.0.1:2', KUBEVEIL_POLICIES: 'from-env', KUBEVEIL_LOG_LEVEL: '' };
    const config = loadConfig({ flags: { listen: '127.0.0.1:3' }, env, file: path });
    expect(config).toMatchObject({
      listen: { host: '127.0.0.1', port: 3 },
      policies: 'from-env',
      requestTimeout: 5_000,
      logLevel: 'info',
    });
  });

  it.each([
    ['192.0.2.5:8443', { addresses: ['192.0.2.5'], port: 8443 }],
    ['192.0.2.5:8443, 192.0.2.6:8443', { addresses: ['192.0.2.5', '192.0.2.6'], port: 8443 }],
    ['[2001:db8::5]:8443', { addresses: ['2001:db8::5'], port: 8443 }],
  ])('advertises %s', (text, advertise) => {
    expect(loadConfig({ flags: { advertise: text }, env: {} }).advertise).toEqual(advertise);
  });

  it.each([
    'proxy.example.com:8443',
    '192.0.2.5',
    '192.0.2.5:0',
    '192.0.2.5:70000',
    '192.0.2.5:8443,192.0.2.6:8444',
    '192.0.2.5:8443,[2001:db8::5]:8443',
    '127.0.0.1:8443',
    '0.0.0.0:8443',
    '[::1]:8443',
    '[fe80::1]:8443',
    '169.254.1.1:8443',
    '',
  ])('does not advertise %j', (text) => {
    expect(problems({ flags: { advertise: text } })).toHaveLength(1);
  });

  it.each([
    ['8443', { host: '0.0.0.0', port: 8443 }],
    [':0', { host: '0.0.0.0', port: 0 }],
    ['localhost:8443', { host: 'localhost', port: 8443 }],
    ['[::1]:8443', { host: '::1', port: 8443 }],
  ])('listens at %s', (text, listen) => {
    expect(loadConfig({ flags: { listen: text }, env: {} }).listen).toEqual(listen);
  });

  it.each([
    [{ listen: 'here' }, '--listen is "here": must be HOST:PORT'],
    [{ listen: '::1:8443' }, '--listen is "::1:8443": must be HOST:PORT'],
    [{ listen: 'a:65536' }, '--listen is "a:65536": must be HOST:PORT'],
    [{ requestTimeout: '30' }, '--request-timeout is "30": must be a duration from 1s to 10m'],
    [{ requestTimeout: '1h' }, '--request-timeout is "1h": must be a duration'],
    [{ publicUrl: 'http://a' }, '--public-url is "http://a": must be an https URL'],
    [{ logLevel: 'loud' }, '--log-level is "loud": expected one of "error"|"warn"|"info"|"debug"'],
    [{ maxConnections: '-1' }, '--max-connections is "-1": must be a whole number'],
    [{ maxConnections: '0' }, '--max-connections is "0"'],
  ])('refuses %j', (flags, problem) => {
    expect(problems({ flags })).toEqual([expect.stringContaining(problem)]);
  });

  it('says where a wrong value came from', () => {
    expect(problems({ env: { KUBEVEIL_LISTEN: 'x' } })[0]).toMatch(/^KUBEVEIL_LISTEN is "x"/);
    const path = file('listen: x');
    expect(problems({ file: path })[0]).toContain(`listen in ${path} is "x"`);
  });

  it.each([
    ['lisen: a:1', 'there is no setting "lisen"'],
    ['__proto__: a', 'there is no setting "__proto__"'],
    ['listen: [a]', 'listen must be one value'],
    ['- a', 'must hold settings'],
    ['a: [', 'Flow sequence'],
  ])('refuses the file %j', (text, problem) => {
    expect(problems({ file: file(text) })).toEqual([expect.stringContaining(problem)]);
  });

  it('tells of a file that is not there, and takes an empty one', () => {
    expect(problems({ file: join(folder, 'no.yaml') })).toEqual([expect.stringContaining('ENOENT')]);
    expect(problems({ file: file('# nothing yet\n') })).toEqual([]);
  });
});

describe('names of settings', () => {
  it('are one word written three ways', () => {
    expect([flagOf('publicUrl'), envOf('publicUrl')]).toEqual(['--public-url', 'KUBEVEIL_PUBLIC_URL']);
  });
});
