/**
 * Views over a scripted host, for unit tests of what is kept in memory: widgets of one tenant (`acme`), a clock that the
 * test moves, and readings that it hands in.
 */

import type { Cursor, CursorOptions } from '../../src/cache/cursor.ts';
import type { Item } from '../../src/cache/item.ts';
import { Source } from '../../src/cache/source.ts';
import { type Reading, View } from '../../src/cache/view.ts';
import type { SharedEvent } from '../../src/exchange.ts';
import { HostHistory } from '../../src/k8s/host-history.ts';
import { parseLabelSelector } from '../../src/k8s/label-selector-parser.ts';
import { parseFieldSelector } from '../../src/k8s/selector.ts';
import type { JsonObject, WatchEvent } from '../../src/k8s/types.ts';
import { type TenantId, tenantOf, type UpstreamName } from '../../src/tenancy/names.ts';
import { Feed, type Scripted, ScriptedUpstream } from './scripted-upstream.ts';

const EVERYTHING = { label: parseLabelSelector(''), field: parseFieldSelector('') };

export class ViewLab implements Disposable {
  nowMs = 1_000_000;
  readonly ending = new AbortController();
  readonly history = new HostHistory();
  readonly sources: Source[] = [];
  readonly faults: string[] = [];

  source(upstream: ScriptedUpstream, more: { fields?: string; from?: string } = {}): Source {
    const source = new Source(
      {
        identity: { as: 'reader' },
        path: '/apis/example.com/v1/widgets',
        labels: '',
        ...more,
        ownerOf: (object) => tenantOf((object['metadata'] as { namespace: UpstreamName }).namespace),
      },
      { upstream, history: this.history, onError: (error) => this.faults.push(String(error)) },
    );
    this.sources.push(source);
    return source;
  }

  view(source: Source, readings: Array<Reading | Promise<Reading>>, pastBytes = 1_000_000): View {
    return new View(
      {
        tenant: 'acme' as TenantId,
        type: {
          group: 'example.com',
          resource: 'widgets',
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          isTypedInLists: false,
        },
        whole: true,
        async read() {
          const reading = readings.shift();
          if (reading === undefined) throw new Error('the test expects no reading');
          return await reading;
        },
        show({ type, object }) {
          const metadata = object['metadata'] as JsonObject;
          const namespace = String(metadata['namespace']).replace('acme--', '');
          return { type, object: { ...object, metadata: { ...metadata, namespace } } };
        },
      },
      source,
      {
        nowMs: () => this.nowMs,
        limits: { bytes: pastBytes, ageMs: 60_000 },
        onBytes: () => {},
        onError: (error) => this.faults.push(String(error)),
      },
    );
  }

  /** What a client of a view asks for when it says nothing special. */
  asking(options: Partial<CursorOptions> & { from: string }): CursorOptions {
    const { signal } = this.ending;
    return { selection: EVERYTHING, bookmarks: true, untilMs: this.nowMs + 3_600_000, signal, ...options };
  }

  open(view: View, options: Partial<CursorOptions> & { from: string }): Cursor {
    const cursor = view.watch(this.asking(options));
    if (cursor === undefined) throw new Error(`the view does not go back to ${options.from}`);
    return cursor;
  }

  [Symbol.dispose](): void {
    this.ending.abort();
    for (const source of this.sources) source.stop();
  }
}

/** In tenant terms. */
export function widget(name: string, version: number, more: JsonObject = {}): JsonObject {
  const metadata = { namespace: 'web', name, uid: `uid-${name}`, resourceVersion: String(version), ...more };
  return { kind: 'Widget', apiVersion: 'example.com/v1', metadata };
}

/** As upstream has it. */
export function up(object: JsonObject, tenant = 'acme'): JsonObject {
  const metadata = object['metadata'] as JsonObject;
  return { ...object, metadata: { ...metadata, namespace: `${tenant}--${String(metadata['namespace'])}` } };
}

export function event(type: WatchEvent['type'], object: JsonObject): WatchEvent {
  return { type, object: up(object) };
}

export function bookmark(version: number): WatchEvent {
  return { type: 'BOOKMARK', object: { kind: 'Widget', metadata: { resourceVersion: String(version) } } };
}

/** An answer that tells the revision that upstream is at. */
export function at(version: number): Scripted {
  const metadata = { resourceVersion: String(version) };
  return { status: 200, body: { kind: 'PartialObjectMetadataList', metadata, items: [] } };
}

export function watch(feed: Feed): Scripted {
  return { status: 200, body: feed };
}

export const EXPIRED: WatchEvent = { type: 'ERROR', object: { kind: 'Status', code: 410, message: 'too old' } };

/** A host that answers what the test says, then with a watch that stays open. */
export function hostOf(...script: Array<Scripted | Promise<Scripted>>): ScriptedUpstream {
  return new ScriptedUpstream(() => script.shift() ?? watch(new Feed()));
}

export function reading(version: number, ...objects: JsonObject[]): Reading {
  return { version: String(version), objects, list: { apiVersion: 'example.com/v1', kind: 'WidgetList' } };
}

/** All that a view holds, in its order. */
export function itemsOf(view: View): Item[] {
  return (view.snapshot()?.chunks ?? []).flatMap(({ items }) => items);
}

export function textOf({ type, object }: WatchEvent | SharedEvent): string {
  const { name = '', resourceVersion } = object['metadata'] as { name?: string; resourceVersion?: string };
  return `${type} ${name}@${resourceVersion ?? ''}`;
}

export async function take(cursor: Cursor, count: number): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const { done, value } = await cursor.next();
    if (done === true) throw new Error(`ended after ${taken.join(', ')}`);
    taken.push(textOf(value));
  }
  return taken;
}

/** All that comes until it ends. */
export async function rest(cursor: Cursor): Promise<string[]> {
  const taken: string[] = [];
  for await (const one of cursor) taken.push(textOf(one));
  return taken;
}
