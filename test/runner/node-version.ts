/**
 * Whether the Node at work is one that the project can run on.
 */

/**
 * @param running such as `24.21.0`
 * @param wanted package.json's `engines.node`, of the form `>=24.12`
 * @returns what is wrong, in one line each
 * @throws {TypeError} when `wanted` has another form
 */
export function nodeProblems(running: string, wanted: string): string[] {
  const range = /^>=(\d+)\.(\d+)$/.exec(wanted);
  if (range === null)
    throw new TypeError(`engines.node in package.json is ${wanted}: only >=MAJOR.MINOR is understood`);
  const [wantMajor = 0, wantMinor = 0] = range.slice(1).map(Number);
  const [major = 0, minor = 0] = running.split('.').map(Number);
  if (major > wantMajor || (major === wantMajor && minor >= wantMinor)) return [];
  return [`Node ${running} is older than ${wanted}: run \`npm test\`, which brings its own`];
}
