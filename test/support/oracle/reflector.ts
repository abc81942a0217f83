/**
 * An informer as client-go is one, that keeps what it is told and remembers every contradiction: it begins with what is
 * there, watches again from its last revision when a watch ends, and begins anew only after 410.
 *
 * @see k8s.io/client-go tools/cache/reflector.go at v0.36
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../as-tenant.ts';
import type { OpenWatch } from '../open-watch.ts';

const INITIAL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const PAUSE_MS = 200;

export interface Known {
  readonly version: string;
  /** Revisions by names. */
  readonly objects: Readonly<Record<string, string>>;
}

export class Reflector {
  readonly name: string;
  readonly faults: string[] = [];
  /** How often it had to begin anew. */
  begun = 0;
  readonly #open: (query: string) => Promise<OpenWatch>;
  readonly #objects = new Map<string, string>();
  #version = '';
  #stopped = false;
  #running: Promise<void> | undefined;

  /** @param open a watch with these parameters besides its own */
  constructor(name: string, open: (query: string) => Promise<OpenWatch>) {
    this.name = name;
    this.#open = open;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Undefined while it has not begun. */
  get known(): Known | undefined {
    if (this.#version === '') return undefined;
    return { version: this.#version, objects: Object.fromEntries([...this.#objects].sort()) };
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#watch();
      } catch {
        // A connection that broke, or none: it tries again from where it is.
      }
      await sleep(PAUSE_MS);
    }
  }

  async #watch(): Promise<void> {
    const isBeginning = this.#version === '';
    const from = isBeginning ? INITIAL : `resourceVersion=${this.#version}`;
    using watch = await this.#open(`watch=true&allowWatchBookmarks=true&timeoutSeconds=300&${from}`);
    if (watch.status === 410) return this.#forget();
    if (watch.status !== 200) return;
    let initial: Map<string, string> | undefined = isBeginning ? new Map() : undefined;
    for (let read = 0; !this.#stopped; ) {
      const end = watch.text.lastIndexOf('\n') + 1;
      const lines = watch.text.slice(read, end).split('\n').slice(0, -1);
      read = end;
      for (const line of lines) {
        const { type, object } = JSON.parse(line) as KubeObject;
        if (type === 'ERROR') {
          if (object.code === 410) this.#forget();
          return;
        }
        if (initial !== undefined) initial = this.#takeInitial(initial, type, object);
        else this.#take(type, object);
      }
      if (watch.ended !== undefined) return;
      await sleep(5);
    }
  }

  /** What is there, up to the bookmark that ends it. @returns undefined behind that */
  #takeInitial(initial: Map<string, string>, type: string, object: KubeObject): Map<string, string> | undefined {
    const { name, resourceVersion, annotations } = object.metadata;
    if (type === 'ADDED') {
      if (initial.has(name)) this.#fault(`${name} came twice among what is there`);
      return initial.set(name, resourceVersion);
    }
    if (annotations?.['k8s.io/initial-events-end'] !== 'true')
      this.#fault(`${type} came before the end of what is there`);
    this.#objects.clear();
    for (const [key, version] of initial) this.#objects.set(key, version);
    this.#version = resourceVersion;
    this.begun += 1;
    return undefined;
  }

  #take(type: string, object: KubeObject): void {
    const { name, resourceVersion } = object.metadata;
    const isBookmark = type === 'BOOKMARK';
    const [version, last] = [BigInt(resourceVersion), BigInt(this.#version)];
    // Deletions that were found by reading again are told as of the revision from before.
    const mayRepeat = isBookmark || type === 'DELETED';
    if (mayRepeat ? version < last : version <= last)
      this.#fault(`${type} ${name ?? ''} at ${version} came after ${last}`);
    if (type === 'ADDED' && this.#objects.has(name)) this.#fault(`${name} was added twice`);
    if (type === 'MODIFIED' && !this.#objects.has(name)) this.#fault(`${name} was changed and never added`);
    if (type === 'DELETED' && !this.#objects.delete(name)) this.#fault(`${name} was deleted and never added`);
    if (type === 'ADDED' || type === 'MODIFIED') this.#objects.set(name, resourceVersion);
    this.#version = resourceVersion;
  }

  #forget(): void {
    this.#version = '';
  }

  #fault(what: string): void {
    this.faults.push(`${this.name}: ${what}`);
  }
}
