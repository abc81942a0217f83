/**
 * An object -> bytes and Content-Type, in the representation that was negotiated. Protobuf is only for kinds that the
 * generated schema has; for others the client's next choice, or 406 as kube-apiserver answers for custom resources.
 */
import { encodeObject, hasProtobuf } from '../codec/protobuf/codec.ts';
import { writeYaml } from '../codec/yaml-write.ts';
import { ApiError } from '../errors.ts';
import type { Accept } from '../exchange.ts';
import { type Gvk, type JsonObject, splitApiVersion } from '../k8s/types.ts';

export interface Encoded {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const MEDIA_TYPES = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
} as const;

/** @throws {ApiError} ERR_NOT_ACCEPTABLE when only protobuf will do and the kind has no such form. */
export function encodeAs(object: JsonObject, accept: Accept): Encoded {
  const { as } = accept;
  // Aggregated discovery alone names its shape in the Content-Type; clients look for it there.
  const shape = as?.kind === 'APIGroupDiscoveryList' ? `;g=${as.group};v=${as.version};as=${as.kind}` : '';
  switch (accept.media) {
    case 'json': {
      const text = accept.pretty ? JSON.stringify(object, null, 2) : `${JSON.stringify(object)}\n`;
      return { contentType: MEDIA_TYPES.json + shape, bytes: Buffer.from(text) };
    }
    case 'yaml':
      return { contentType: MEDIA_TYPES.yaml + shape, bytes: Buffer.from(writeYaml(object)) };
    case 'protobuf': {
      const bytes = encodeObject(object, gvkOf(object));
      if (bytes !== undefined) return { contentType: MEDIA_TYPES.protobuf + shape, bytes };
      if (accept.otherwise !== undefined) return encodeAs(object, accept.otherwise);
      throw noProtobuf();
    }
  }
}

/** Whether the object can go out as protobuf, envelope and all. */
export function speaksProtobuf(object: JsonObject): boolean {
  return hasProtobuf(gvkOf(object));
}

export function noProtobuf(): ApiError {
  return new ApiError(
    'ERR_NOT_ACCEPTABLE',
    'only the following media types are accepted: application/json, application/yaml',
  );
}

/** What an object says it is. */
export function gvkOf(object: JsonObject): Gvk {
  const apiVersion = typeof object['apiVersion'] === 'string' ? object['apiVersion'] : '';
  const [group, version] = splitApiVersion(apiVersion);
  return { group, version, kind: typeof object['kind'] === 'string' ? object['kind'] : '' };
}
