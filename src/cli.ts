#!/usr/bin/env node
/**
 * The command line. Dispatches only; each command is a file of `cli/`.
 *
 * Exit codes: 0 done, 1 it failed (the message says what and what to do), 2 the call itself was wrong.
 */
import { CommanderError } from 'commander';
import { createProgram } from './cli/program.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said it already; help and version are no faults.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`kubeveil: ${error instanceof Error ? error.message : String(error)}\n`);
    if (process.env['KUBEVEIL_DEBUG'] !== undefined && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
  }
}
