/**
 * The settings of `kubeveil serve` from the command line, the environment and a file, in that order of weight, as one
 * checked Config. Every problem is told at once, each with where the value came from and what was expected.
 */
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { type Config, envOf, flagOf, SETTINGS, type SettingName } from './settings.ts';

export interface ConfigSources {
  /** What the command line gave, by the setting's name. */
  readonly flags?: Partial<Record<SettingName, string>>;
  readonly env?: NodeJS.ProcessEnv;
  /** YAML with settings by their names. */
  readonly file?: string | undefined;
}

/** The settings are wrong. The message has a line for each problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the settings are not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** @throws {ConfigError} */
export function loadConfig({ flags = {}, env = process.env, file }: ConfigSources): Config {
  const problems: string[] = [];
  const inFile = file === undefined ? new Map<string, string>() : readSettings(file, problems);
  const config: Record<string, unknown> = {};
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const [text, source] = pick(name, flags, env, inFile, file);
    if (text === undefined) continue;
    const result = SETTINGS[name].schema.safeParse(text);
    if (result.success) config[name] = result.data;
    else
      problems.push(
        ...result.error.issues.map(({ message }) => `${source} is ${JSON.stringify(text)}: ${words(message)}`),
      );
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config as unknown as Config;
}

/** An empty value in the environment is none: that is how one is taken away there. */
function pick(
  name: SettingName,
  flags: Partial<Record<SettingName, string>>,
  env: NodeJS.ProcessEnv,
  inFile: ReadonlyMap<string, string>,
  file: string | undefined,
): [text: string | undefined, source: string] {
  const flag = flags[name];
  if (flag !== undefined) return [flag, flagOf(name)];
  const variable = env[envOf(name)];
  if (variable !== undefined && variable !== '') return [variable, envOf(name)];
  const stated = inFile.get(name);
  if (stated !== undefined) return [stated, `${name} in ${file}`];
  return [SETTINGS[name].default, `the default of ${flagOf(name)}`];
}

function readSettings(file: string, problems: string[]): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    problems.push(
      `${file}: cannot be read (${(cause as NodeJS.ErrnoException).code ?? cause}); give another with --config`,
    );
    return settings;
  }
  // The failsafe schema leaves every scalar as text, as it is on the command line.
  const document = parseDocument(text, { schema: 'failsafe', stringKeys: true, uniqueKeys: true });
  for (const fault of document.errors) problems.push(`${file}: ${fault.message.split('\n', 1)[0]}`);
  if (document.errors.length > 0 || document.contents === null) return settings;
  const given: unknown = document.toJS({ maxAliasCount: 0 });
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    problems.push(`${file}: must hold settings, such as "listen: 0.0.0.0:8443"`);
    return settings;
  }
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(SETTINGS, name)) problems.push(`${file}: there is no setting ${JSON.stringify(name)}`);
    else if (typeof value !== 'string') problems.push(`${file}: ${name} must be one value`);
    else settings.set(name, value);
  }
  return settings;
}

function words(message: string): string {
  return message.replace(/^Invalid (?:input|option): /, '');
}
