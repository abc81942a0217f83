/**
 * A thread that reads YAML, one document at a time, and the program that runs on it. The thread can be ended whatever
 * it is doing, and has memory of its own: a document that takes too much of either ends the thread, not the process.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { RepeatedKey } from '../k8s/repeated-key.ts';
import { JsonSyntaxError, parseJson, stringifyJson } from './json.ts';
import { readYaml, type YamlDocument } from './yaml-read.ts';

const THREAD_NAME = 'kubeveil-yaml';
const THREAD_MEGABYTES = 256;

/** `json` is the document as JSON text, which crosses cheaper than an object; else `fault` is for the sender. */
interface Answer {
  readonly json?: string;
  readonly repeated?: readonly RepeatedKey[];
  readonly fault?: string;
}

export interface YamlThread {
  /** One document at a time. @throws {JsonSyntaxError} */
  read(text: string): Promise<YamlDocument>;
  /** At once. What is being read is never answered. */
  end(): void;
}

/** @param onEnd called when the thread ends by itself, after the document that it read was refused */
export function startYamlThread(onEnd: () => void): YamlThread {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: THREAD_NAME,
    name: THREAD_NAME,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES },
  });
  worker.unref();
  let reading: PromiseWithResolvers<YamlDocument> | undefined;
  let isEnding = false;

  worker.on('message', ({ json, repeated = [], fault }: Answer) => {
    const answer = reading;
    reading = undefined;
    worker.unref();
    if (json === undefined) answer?.reject(new JsonSyntaxError(fault ?? 'yaml: unreadable'));
    else answer?.resolve({ document: parseJson(json, { maxDepth: Number.POSITIVE_INFINITY }), repeated });
  });
  // Out of memory, most likely.
  worker.on('error', (cause) => {
    if (isEnding) return;
    isEnding = true;
    reading?.reject(new JsonSyntaxError('yaml: too large to read: send JSON', { cause }));
    onEnd();
  });
  return {
    read(text) {
      reading = Promise.withResolvers<YamlDocument>();
      // The process does not end while somebody waits for a document.
      worker.ref();
      worker.postMessage(text);
      return reading.promise;
    },
    end() {
      isEnding = true;
      void worker.terminate();
    },
  };
}

function answerTo(text: string): Answer {
  try {
    const { document, repeated } = readYaml(text);
    return { json: stringifyJson(document), repeated };
  } catch (error) {
    return { fault: error instanceof JsonSyntaxError ? error.message : 'yaml: unreadable' };
  }
}

if (!isMainThread && workerData === THREAD_NAME) {
  // The parser makes an error for each fault of a document; only the first is told, without its stack.
  Error.stackTraceLimit = 0;
  parentPort?.on('message', (text: string) => parentPort?.postMessage(answerTo(text)));
}
