/**
 * One run of a policy's expressions over one request: its variables, its budget.
 *
 * Costs are kube-apiserver's. Time is ours: expressions run in the one process that serves all tenants.
 *
 * @see k8s.io/apiserver pkg/admission/plugin/cel/activation.go, composition.go; pkg/apis/cel/config.go at v0.36
 */
import type { Program } from '../cel/compile.ts';
import { CostExceeded, EvaluationError } from '../cel/evaluation-error.ts';
import { type Ask, authorizerValue, requestResourceValue } from '../cel/kubernetes/authorizer.ts';
import { fromJson, Opaque, type Value } from '../cel/values.ts';
import { child } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { AdmissionSubject, EquivalentResource } from '../ports.ts';
import type { AdmittedObjects } from './matching.ts';
import { admissionRequest, type RequestFacts } from './request.ts';

/** Units of cel-go for one expression, and for all of one binding. */
const EXPRESSION_COST = 1_000_000;
const BINDING_COST = 10_000_000;
/** Of CPU, for all expressions of one run of a tenant's policy together. */
const RUN_MS = 50;

/** An expression, as far as it could be compiled. */
export interface Compiled {
  readonly text: string;
  readonly program: Program | undefined;
  /** Why there is no program. */
  readonly problem: string;
}

/** What an expression gave, or in words why it gave nothing. */
export type Outcome = { readonly value: Value } | { readonly error: string };

/** No expression is run any more. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
    this.name = 'OutOfBudget';
  }
}

/** What expressions know of a request. */
export type EvaluationSubject = RequestFacts & Pick<AdmissionSubject, 'namespaceObject'>;

export interface EvaluationOptions {
  readonly subject: EvaluationSubject;
  readonly given: AdmittedObjects;
  /** In which version the objects are given, where it is not the request's own. */
  readonly as?: EquivalentResource | undefined;
  /** Undefined where the policy takes none, null where it does and the binding has none. */
  readonly params: JsonObject | null | undefined;
  readonly ask: Ask;
  /** Of CPU, for all expressions together, where it is not a tenant that wrote them. */
  readonly runMs?: number;
  /** `variables.<name>`, by name. */
  readonly variables: ReadonlyMap<string, Compiled>;
}

export class Evaluation {
  readonly #options: EvaluationOptions;
  readonly #known = new Map<string, Value | undefined>();
  readonly #startedAt = process.threadCpuUsage();
  #cost = 0;

  constructor(options: EvaluationOptions) {
    this.#options = options;
  }

  /** @throws {OutOfBudget} */
  run({ text, program, problem }: Compiled): Outcome {
    if (program === undefined) return { error: `compilation error: ${problem}` };
    try {
      return { value: this.#evaluate(program) };
    } catch (error) {
      if (!(error instanceof EvaluationError || error instanceof CostExceeded)) throw error;
      return { error: `expression '${text}' resulted in error: ${error.message}` };
    }
  }

  #evaluate(program: Program): Value {
    const { user, system } = process.threadCpuUsage(this.#startedAt);
    const ms = (this.#options.runMs ?? RUN_MS) - (user + system) / 1000;
    const { value, cost } = program.run((name) => this.#variable(name), { cost: EXPRESSION_COST, ms });
    this.#cost += cost;
    if (this.#cost > BINDING_COST) throw new OutOfBudget();
    return value;
  }

  #variable(name: string): Value | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    const value = this.#make(name);
    this.#known.set(name, value);
    return value;
  }

  #make(name: string): Value | undefined {
    const { subject, given, params, ask } = this.#options;
    switch (name) {
      case 'object':
        return objectValue(given.object);
      case 'oldObject':
        return objectValue(given.oldObject);
      case 'request':
        return fromJson(admissionRequest(subject, this.#options.as));
      case 'namespaceObject':
        return namespaceValue(subject.namespaceObject());
      case 'params':
        return objectValue(params ?? undefined);
      case 'authorizer':
        return authorizerValue(ask);
      case 'authorizer.requestResource':
        return requestResourceValue(ask, subject);
      case 'variables':
        return new PolicyVariables(this.#options.variables, (program) => this.#evaluate(program));
      default:
        return undefined;
    }
  }
}

/** `variables`: each is worked out when it is first asked for. */
class PolicyVariables extends Opaque {
  override readonly isStruct = true;
  readonly typeName = 'kubernetes.variables';
  readonly #variables: ReadonlyMap<string, Compiled>;
  readonly #evaluate: (program: Program) => Value;
  readonly #known = new Map<string, Value | EvaluationError>();

  constructor(variables: ReadonlyMap<string, Compiled>, evaluate: (program: Program) => Value) {
    super();
    this.#variables = variables;
    this.#evaluate = evaluate;
  }

  override has(name: string): boolean {
    return this.#variables.has(name);
  }

  override field(name: string): Value | undefined {
    const variable = this.#variables.get(name);
    if (variable === undefined) return undefined;
    const known = this.#known.get(name) ?? this.#work(name, variable);
    this.#known.set(name, known);
    if (known instanceof EvaluationError) throw known;
    return known;
  }

  #work(name: string, { program, problem }: Compiled): Value | EvaluationError {
    const failed = (why: string) => new EvaluationError(`composited variable "${name}" fails to evaluate: ${why}`);
    if (program === undefined) return failed(problem);
    try {
      return this.#evaluate(program);
    } catch (error) {
      if (error instanceof EvaluationError) return failed(error.message);
      throw error;
    }
  }
}

function objectValue(object: JsonObject | undefined): Value {
  return object === undefined ? null : fromJson(object);
}

/** The fields of a Namespace that expressions may see, as JSON has them: its times are texts, on the API server too. */
function namespaceValue(namespace: JsonObject | undefined): Value {
  if (namespace === undefined) return null;
  const { managedFields: _managed, ownerReferences: _owners, ...metadata } = child(namespace, 'metadata');
  return fromJson({ metadata, spec: child(namespace, 'spec'), status: child(namespace, 'status') });
}
