/**
 * An expression that fails while it runs. `||`, `&&` and their like may absorb it, and where they do not it is what the
 * policy's failure says; a run over its budget cannot be absorbed.
 */
export class EvaluationError extends Error {
  constructor(message: string) {
    // Expressions can make errors by the thousand, and a stack for each would cost more than all the rest.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'EvaluationError';
  }
}

/** The run costs more than it may. */
export class CostExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
    this.name = 'CostExceeded';
  }
}

export function noSuchOverload(): EvaluationError {
  return new EvaluationError('no such overload');
}

/** @param key as the message writes it */
export function noSuchKey(key: string): EvaluationError {
  return new EvaluationError(`no such key: ${key}`);
}
