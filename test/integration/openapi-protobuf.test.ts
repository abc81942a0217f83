/**
 * OpenAPI as protobuf: what is made of the API server's JSON is what the API server makes of it, to the byte, for every
 * group of Kubernetes.
 */
import { Agent, request } from 'undici';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { parseJson } from '../../src/codec/json.ts';
import { isObject, type JsonObject } from '../../src/k8s/types.ts';
import { encodeOpenApiV2, OPENAPI_V2_PROTOBUF } from '../../src/openapi/v2-proto.ts';
import { encodeOpenApiV3, OPENAPI_V3_PROTOBUF } from '../../src/openapi/v3-proto.ts';

const facts = inject('controlPlane');
const agent = new Agent({ connect: { ca: facts.caPem, cert: facts.adminCertPem, key: facts.adminKeyPem } });
afterAll(() => agent.close());

async function ask(path: string, accept: string): Promise<Buffer> {
  const options = { dispatcher: agent, headers: { accept, 'accept-encoding': 'identity' } };
  const { statusCode, body } = await request(new URL(path, facts.server), options);
  expect([path, statusCode]).toEqual([path, 200]);
  return Buffer.from(await body.arrayBuffer());
}

async function askJson(path: string): Promise<JsonObject> {
  const document = parseJson(await ask(path, 'application/json'));
  if (!isObject(document)) throw new Error(`${path} is no object`);
  return document;
}

/** Go quotes what it must with single quotes, and the proxy with double ones: the same YAML. */
function quoted(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1').replaceAll(`'*'`, '"*"');
}

/** Not the paths of discovery, which every aggregated API changes, and no CRDs, whose texts are quoted as may be. */
const OF_KUBERNETES = /^(?:api|apis\/(?:apps|autoscaling|batch|policy|[a-z.]+\.k8s\.io))\/v\d+$/;

describe('OpenAPI as protobuf', () => {
  it('of version 3 is what the API server makes of it', async () => {
    const { paths } = await askJson('/openapi/v3');
    const groups = Object.keys(paths as JsonObject).filter((path) => OF_KUBERNETES.test(path));
    expect(groups.length).toBeGreaterThan(15);
    for (const group of groups) {
      const path = `/openapi/v3/${group}`;
      const theirs = quoted(await ask(path, OPENAPI_V3_PROTOBUF));
      expect({ group, same: quoted(encodeOpenApiV3(await askJson(path))) === theirs }).toEqual({ group, same: true });
    }
  });

  it('of version 2 has all of it', async () => {
    const ours = encodeOpenApiV2(await askJson('/openapi/v2'));
    const theirs = await ask('/openapi/v2', OPENAPI_V2_PROTOBUF);
    // But for the quotes of some texts of CRDs.
    expect(Math.abs(ours.length - theirs.length)).toBeLessThan(100);
  });
});
