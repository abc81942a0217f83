/**
 * Reads YAML on a thread of its own. YAML costs a hundred times what JSON costs, and half a megabyte of it would hold up
 * every tenant's requests for the better part of a second; there it holds up only other YAML. What is small is read at
 * once. This file is the thread's program too.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ApiError } from '../errors.ts';
import type { JsonValue } from '../k8s/types.ts';
import { JsonSyntaxError, parseJson, stringifyJson } from './json.ts';
import { parseYaml } from './yaml-read.ts';

/** Characters that are read in less time than a trip to the thread is worth. */
const INLINE_CHARACTERS = 8 * 1024;
/** Documents that may wait; each is half a megabyte at most. */
const MAX_WAITING = 64;
const THREAD_NAME = 'kubeveil-yaml';
const THREAD_MEGABYTES = 256;

interface Question {
  readonly id: number;
  readonly text: string;
}
/** `json` is the document as JSON text, which crosses cheaper than an object; else `fault` is for the sender. */
interface Answer {
  readonly id: number;
  readonly json?: string;
  readonly fault?: string;
}

const waiting = new Map<number, PromiseWithResolvers<JsonValue>>();
let thread: Worker | undefined;
let lastId = 0;

/** @throws {JsonSyntaxError} as parseYaml; {@link ApiError} ERR_TOO_MANY_REQUESTS when too many documents wait. */
export async function readYaml(text: string): Promise<JsonValue> {
  if (text.length <= INLINE_CHARACTERS) return parseYaml(text);
  if (waiting.size >= MAX_WAITING) {
    throw new ApiError(
      'ERR_TOO_MANY_REQUESTS',
      'too many YAML documents at once, please try again later or send JSON',
      {
        details: { retryAfterSeconds: 1 },
        why: 'yaml-queue',
      },
    );
  }
  const answer = Promise.withResolvers<JsonValue>();
  const id = ++lastId;
  waiting.set(id, answer);
  thread ??= startThread();
  thread.ref();
  thread.postMessage({ id, text } satisfies Question);
  return await answer.promise;
}

function startThread(): Worker {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: THREAD_NAME,
    name: THREAD_NAME,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES },
  });
  worker.on('message', ({ id, json, fault }: Answer) => {
    const answer = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    if (json === undefined) answer?.reject(new JsonSyntaxError(fault ?? 'yaml: unreadable'));
    else answer?.resolve(parseJson(json, { maxDepth: Number.POSITIVE_INFINITY }));
  });
  // Out of memory, most likely: the documents that wait are refused, the next one gets a new thread.
  worker.on('error', (cause) => {
    thread = undefined;
    for (const answer of waiting.values())
      answer.reject(new JsonSyntaxError('yaml: too large to read: send JSON', { cause }));
    waiting.clear();
  });
  return worker;
}

function answerTo({ id, text }: Question): Answer {
  try {
    return { id, json: stringifyJson(parseYaml(text)) };
  } catch (error) {
    return { id, fault: error instanceof JsonSyntaxError ? error.message : 'yaml: unreadable' };
  }
}

if (!isMainThread && workerData === THREAD_NAME) {
  parentPort?.on('message', (question: Question) => parentPort?.postMessage(answerTo(question)));
}
