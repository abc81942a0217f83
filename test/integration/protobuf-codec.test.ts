/**
 * The protobuf codec against a real API server: what it decodes equals the server's JSON, what it encodes equals the
 * server's bytes, and the server reads its bodies as it reads JSON.
 */
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { decodeObject, encodeObject } from '../../src/codec/protobuf/codec.ts';
import { decodeWatchEvent, FrameReader, frameWatchEvent } from '../../src/codec/protobuf/frames.ts';
import { type Gvk, isObject, type JsonObject, splitApiVersion } from '../../src/k8s/types.ts';
import { canonical, parseExact } from '../protobuf/corpus.ts';
import { EXAMPLES, NAMESPACE } from '../protobuf/examples.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const JSON_TYPE = 'application/json';

const facts = inject('controlPlane');
const agent = new Agent({ connect: { ca: facts.caPem, cert: facts.adminCertPem, key: facts.adminKeyPem } });

interface Answer {
  status: number;
  type: string;
  bytes: Buffer;
}

async function ask(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  accept: string,
  body?: Uint8Array,
): Promise<Answer> {
  const response = await request(new URL(path, facts.server), {
    method,
    dispatcher: agent,
    headers: { accept, ...(body && { 'content-type': body[0] === 0x7b ? JSON_TYPE : PROTOBUF }) },
    ...(body && { body }),
  });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, type: String(response.headers['content-type']), bytes };
}

async function getJson(path: string): Promise<JsonObject> {
  const { status, bytes } = await ask('GET', path, JSON_TYPE);
  expect([path, status]).toEqual([path, 200]);
  return parseExact(bytes.toString()) as JsonObject;
}

function gvkOf(object: JsonObject): Gvk {
  const [group, version] = splitApiVersion(String(object['apiVersion']));
  return { group, version, kind: String(object['kind']) };
}

/** Groups of Kubernetes itself; custom resources have no protobuf form. */
function isBuiltIn(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}

/** Paths of all lists of built-in resources. */
async function listPaths(): Promise<string[]> {
  const groups = (await getJson('/apis'))['groups'] as JsonObject[];
  // Metrics are another server's, whose types are not those of Kubernetes.
  const builtIn = groups.filter(({ name }) => isBuiltIn(String(name)) && name !== 'metrics.k8s.io');
  const bases = builtIn.flatMap((group) =>
    (group['versions'] as JsonObject[]).map((version) => `/apis/${String(version['groupVersion'])}`),
  );
  const paths: string[] = [];
  for (const base of ['/api/v1', ...bases]) {
    for (const resource of (await getJson(base))['resources'] as JsonObject[]) {
      // The order of componentstatuses is another at every request.
      if ((resource['verbs'] as string[]).includes('list') && resource['name'] !== 'componentstatuses') {
        paths.push(`${base}/${String(resource['name'])}`);
      }
    }
  }
  return paths;
}

/** An object as the wire can say it: nested claim templates lose their kind there, as in the server's own protobuf. */
function withoutNestedKinds(list: JsonObject): JsonObject {
  for (const item of (list['items'] ?? []) as JsonObject[]) {
    const templates = isObject(item['spec']) ? item['spec']['volumeClaimTemplates'] : undefined;
    for (const template of (templates ?? []) as JsonObject[]) {
      delete template['kind'];
      delete template['apiVersion'];
    }
  }
  return list;
}

beforeAll(async () => {
  for (const { path, object } of EXAMPLES) {
    const { status, bytes } = await ask('POST', path, JSON_TYPE, Buffer.from(JSON.stringify(object)));
    expect([path, status, status === 201 ? '' : bytes.toString()]).toEqual([path, 201, '']);
  }
});

afterAll(async () => {
  for (const { path, object } of EXAMPLES.toReversed()) {
    if (path.includes(`/${NAMESPACE}/`)) {
      continue;
    }
    await ask('DELETE', `${path}/${String((object['metadata'] as JsonObject)['name'])}`, JSON_TYPE);
  }
  await agent.close();
});

describe('lists of a live server', () => {
  it('are the same in both encodings, in both directions', async () => {
    let kinds = 0;
    for (const path of await listPaths()) {
      const json = await getJson(path);
      const version = (json['metadata'] as JsonObject)['resourceVersion'];
      const exact = await ask('GET', `${path}?resourceVersion=${version}&resourceVersionMatch=Exact`, PROTOBUF);
      expect([path, exact.status, exact.type]).toEqual([path, 200, PROTOBUF]);
      const decoded = decodeObject(exact.bytes);
      expect(decoded.unknownNames).toEqual([]);
      const encoded = encodeObject(json, gvkOf(json));
      expect([path, encoded !== undefined && exact.bytes.equals(encoded)]).toEqual([path, true]);
      expect([path, canonical(decoded.object)]).toEqual([path, canonical(withoutNestedKinds(json))]);
      kinds += (json['items'] as JsonObject[]).length > 0 ? 1 : 0;
    }
    expect(kinds).toBeGreaterThan(20);
  });
});

describe('a live server', () => {
  it('reads our protobuf bodies as it reads JSON', async () => {
    // What a server makes up anew for each request.
    const changing = /(?<="(?:uid|creationTimestamp|time|clusterIP)":"|"clusterIPs":\["|kube-api-access-)[^"]*/g;
    const seen: string[] = [];
    for (const { path, object } of EXAMPLES) {
      const renamed = { ...object, metadata: { ...(object['metadata'] as JsonObject), name: 'copy' } };
      const bytes = encodeObject(renamed, gvkOf(renamed));
      const dryRun = `${path}?dryRun=All&fieldManager=test`;
      const fromJson = await ask('POST', dryRun, JSON_TYPE, Buffer.from(JSON.stringify(renamed)));
      const fromProtobuf = await ask('POST', dryRun, JSON_TYPE, bytes ?? Buffer.alloc(0));
      const ours = fromProtobuf.bytes.toString().replaceAll(changing, '');
      expect([path, fromProtobuf.status, ours]).toEqual([
        path,
        fromJson.status,
        fromJson.bytes.toString().replaceAll(changing, ''),
      ]);
      seen.push(`${fromJson.status}`);
    }
    expect(seen.filter((status) => status === '201').length).toBeGreaterThan(10);
  });

  it('answers an error as a protobuf Status that we decode', async () => {
    const { status, type, bytes } = await ask('GET', `/api/v1/namespaces/${NAMESPACE}/configmaps/absent`, PROTOBUF);
    expect([status, type]).toEqual([404, PROTOBUF]);
    expect(decodeObject(bytes).object).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      reason: 'NotFound',
      code: 404,
    });
  });

  it('refuses a broken body with 400, where we throw', async () => {
    const whole = encodeObject(
      { metadata: { name: 'copy' }, data: { a: 'b' } },
      { group: '', version: 'v1', kind: 'ConfigMap' },
    );
    const broken = whole?.subarray(0, whole.length - 6) ?? Buffer.alloc(0);
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps?dryRun=All`;
    expect((await ask('POST', path, JSON_TYPE, whole)).status).toBe(201);
    expect((await ask('POST', path, JSON_TYPE, broken)).status).toBe(400);
    expect(() => decodeObject(broken)).toThrow('malformed');
  });

  it('sends watch events that we frame to the same bytes', async () => {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps?watch=1&sendInitialEvents=true&allowWatchBookmarks=true`;
    const response = await request(new URL(`${path}&resourceVersionMatch=NotOlderThan`, facts.server), {
      dispatcher: agent,
      headers: { accept: `${PROTOBUF};stream=watch` },
    });
    expect(response.headers['content-type']).toBe(`${PROTOBUF};stream=watch`);
    const frames = new FrameReader();
    const types: string[] = [];
    for await (const chunk of response.body) {
      for (const payload of frames.push(chunk as Buffer)) {
        const { type, decoded } = decodeWatchEvent(payload);
        types.push(type);
        expect(decoded.unknownFields).toBe(0);
        const encoded = encodeObject(decoded.object, gvkOf(decoded.object));
        expect(frameWatchEvent(type, encoded ?? Buffer.alloc(0)).subarray(4)).toEqual(payload);
      }
      if (types.includes('BOOKMARK')) {
        break;
      }
    }
    expect(types.slice(0, -1)).toContain('ADDED');
  });
});
