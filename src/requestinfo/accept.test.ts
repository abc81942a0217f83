import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { negotiate, negotiateError, type Offer, offerOf } from './accept.ts';
import { parseRequestInfo } from './parse.ts';

const TABLE = 'as=Table;v=v1;g=meta.k8s.io';
const KUBECTL = `application/json;${TABLE},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const ROUTER =
  '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf';
const NEGOTIATOR =
  'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
const STREAMS =
  'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

/** `json`, `json as Table v1`. */
function chosen(header: string | undefined, offer: Offer): string {
  const { media, as } = negotiate(header, offer);
  return as === undefined ? media : `${media} as ${as.kind} ${as.version}`;
}

function refusal(header: string, offer: Offer): ApiError {
  try {
    negotiate(header, offer);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${header} was not refused`);
}

describe('negotiate', () => {
  // Each seen with kube-apiserver 1.36.3.
  const accepted: [header: string | undefined, offer: Offer, choice: string][] = [
    [undefined, 'resource', 'json'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/yaml', 'review', 'yaml'],
    ['', 'resource', 'json'],
    ['*/*', 'resource', 'json'],
    ['application/json', 'resource', 'json'],
    ['application/yaml', 'resource', 'yaml'],
    ['application/vnd.kubernetes.protobuf', 'resource', 'protobuf'],
    ['application/json, */*', 'resource', 'json'],
    ['application/xml, */*', 'resource', 'json'],
    ['application/vnd.kubernetes.protobuf,application/json', 'resource', 'protobuf'],
    ['application/json;q=0.2,application/yaml;q=0.5', 'resource', 'yaml'],
    ['application/yaml;q=0.5,application/json;q=0.5', 'resource', 'yaml'],
    ['application/*;q=0.1, application/yaml', 'resource', 'yaml'],
    ['*/*;q=0.9,application/yaml;q=0.1', 'resource', 'yaml'],
    ['application/json;q=0', 'resource', 'json'],
    ['application/json;q=abc, application/yaml;q=0.5', 'resource', 'yaml'],
    ['application/json;foo=bar', 'resource', 'json'],
    ['application/json;stream=watch', 'resource', 'json'],
    [KUBECTL, 'resource', 'json as Table v1'],
    [`application/json; as=Table; v=v1; g=meta.k8s.io`, 'resource', 'json as Table v1'],
    [`application/yaml;${TABLE}`, 'resource', 'yaml as Table v1'],
    [`application/vnd.kubernetes.protobuf;${TABLE},application/json`, 'resource', 'json'],
    [
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      'resource',
      'protobuf as PartialObjectMetadata v1',
    ],
    [KUBECTL, 'watch', 'json as Table v1'],
    ['application/vnd.kubernetes.protobuf;stream=watch', 'watch', 'protobuf'],
    [KUBECTL, 'plain', 'json'],
    [`${AGGREGATED},application/json`, 'discovery', 'json as APIGroupDiscoveryList v2'],
    ['application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json', 'discovery', 'json'],
    ['text/plain', 'any', 'json'],
  ];
  it.each(accepted)('%s of %s: %s', (header, offer, choice) => {
    expect(chosen(header, offer)).toBe(choice);
  });

  const refused: [header: string, offer: Offer, message: string][] = [
    ['application/xml', 'resource', ROUTER],
    ['APPLICATION/JSON', 'resource', ROUTER],
    ['application/cbor', 'resource', ROUTER],
    [',,,', 'resource', ROUTER],
    ['json', 'resource', ROUTER],
    ['application/json/x', 'resource', ROUTER],
    [
      'application/xml',
      'list',
      `${ROUTER}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`,
    ],
    [
      'application/xml',
      'watch',
      `${ROUTER}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`,
    ],
    ['application/json;stream=foo', 'list', NEGOTIATOR],
    ['application/json;as=Foo;v=v1;g=meta.k8s.io', 'resource', NEGOTIATOR],
    ['application/json;as=Table;v=v3;g=meta.k8s.io', 'resource', NEGOTIATOR],
    ['application/json;as="Table";v=v1;g=meta.k8s.io', 'resource', NEGOTIATOR],
    ['application/json;stream=foo', 'resource', NEGOTIATOR],
    ['application/yaml;stream=watch', 'resource', NEGOTIATOR],
    [`application/vnd.kubernetes.protobuf;${TABLE}`, 'resource', NEGOTIATOR],
    ['application/yaml', 'watch', STREAMS],
    ['application/yaml,application/json', 'watch', STREAMS],
    [AGGREGATED, 'plain', NEGOTIATOR],
    [`application/json;${TABLE}`, 'discovery', NEGOTIATOR],
  ];
  it.each(refused)('%s of %s is 406', (header, offer, message) => {
    expect(refusal(header, offer)).toMatchObject({ status: 406, reason: 'NotAcceptable', message });
  });

  it('keeps the next choice of a client that puts protobuf first', () => {
    const accept = negotiate('application/vnd.kubernetes.protobuf,application/json', 'resource');
    expect(accept.otherwise).toMatchObject({ media: 'json', as: undefined });
    expect(negotiate('application/vnd.kubernetes.protobuf', 'resource').otherwise).toBeUndefined();
  });

  it.each([
    [undefined, undefined, 'kubectl/v1.36', false],
    [undefined, undefined, 'curl/8', true],
    [undefined, 'false', 'curl/8', false],
    [undefined, '1', 'kubectl', true],
    ['application/json;pretty=1', undefined, 'kubectl', true],
  ])('pretty: %s %s %s: %s', (header, pretty, agent, expected) => {
    const query = new Map(pretty === undefined ? [] : [['pretty', pretty]]);
    expect(negotiate(header, 'resource', query, agent).pretty).toBe(expected);
  });

  it('answers errors in JSON when nothing else will do, and never in another shape', () => {
    expect(negotiateError('application/xml')).toEqual({ media: 'json', as: undefined, pretty: true });
    expect(negotiateError(KUBECTL)).toMatchObject({ media: 'json', as: undefined });
    expect(negotiateError('application/yaml')).toMatchObject({ media: 'yaml' });
  });
});

describe('offerOf', () => {
  it.each([
    ['/api', 'discovery'],
    ['/apis', 'discovery'],
    ['/api/v1', 'plain'],
    ['/apis/apps', 'plain'],
    ['/apis/apps/v1', 'plain'],
    ['/version', 'any'],
    ['/openapi/v2', 'any'],
    ['/api/v1/pods', 'list'],
    ['/api/v1/namespaces/web/pods/a', 'resource'],
    ['/api/v1/pods?watch=1', 'watch'],
    ['/api/v1/namespaces/web/pods/a/log', 'any'],
  ])('%s: %s', (target, offer) => {
    expect(offerOf(parseRequestInfo('GET', target))).toBe(offer);
  });
});
