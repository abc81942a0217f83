/**
 * A process with a control plane in it, for tests of what happens to the programs when the process gets Ctrl-C or is
 * killed. Argument 1 is the work folder. Prints one JSON line with the server and the process ids, then runs until
 * SIGINT, upon which it stops in order and prints `stopped`.
 */

import { startControlPlane } from '../../src/dev/control-plane.ts';

const workDir = process.argv[2];
if (workDir === undefined) throw new TypeError('argument 1 must be the work folder');
const controlPlane = await startControlPlane({ workDir });
const pids = Object.values(controlPlane.programs()).map(({ pid }) => pid);
process.once('SIGINT', () => void controlPlane.stop().then(() => console.log('stopped')));
console.log(JSON.stringify({ server: controlPlane.server, pids }));
