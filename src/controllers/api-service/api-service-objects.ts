/**
 * The Service `kubernetes` in `default`, and where it leads, as every cluster has it: here it leads to the proxy.
 * @see k8s.io/kubernetes pkg/controlplane/controller/kubernetesservice/controller.go, pkg/controlplane/reconcilers/endpointsadapter.go at v1.36
 */
import { isIP } from 'node:net';
import type { JsonObject } from '../../k8s/types.ts';

export const API_SERVICE = 'kubernetes';
/** As pods name it, by DNS. */
export const API_SERVICE_NAMES = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];
const PORT = 'https';
const SERVICE_PORT = 443;

/** Where pods reach the proxy: the same for every replica. */
export interface Advertised {
  /** IP addresses of one family, none of them loopback. */
  readonly addresses: readonly string[];
  readonly port: number;
}

/** A kind that the Service is made of: where it lives on the host, and what stands in it. */
export interface ApiServicePart {
  /** `/api/v1` */
  readonly root: string;
  readonly resource: string;
  /** @returns undefined when there is nothing to say: then the object is the tenant's own */
  wanted(advertised: Advertised | undefined): JsonObject | undefined;
}

export const API_SERVICE_PARTS: readonly ApiServicePart[] = [
  { root: '/api/v1', resource: 'services', wanted: service },
  { root: '/api/v1', resource: 'endpoints', wanted: endpoints },
  { root: '/apis/discovery.k8s.io/v1', resource: 'endpointslices', wanted: endpointSlice },
];

function service(advertised: Advertised | undefined): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: API_SERVICE, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      ports: [{ name: PORT, port: SERVICE_PORT, protocol: 'TCP', targetPort: advertised?.port ?? SERVICE_PORT }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    },
  };
}

function endpoints(advertised: Advertised | undefined): JsonObject | undefined {
  if (advertised === undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    // Its slice stands beside it; the host's mirroring would make another.
    metadata: { name: API_SERVICE, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [
      {
        addresses: advertised.addresses.map((ip) => ({ ip })),
        ports: [{ name: PORT, port: advertised.port, protocol: 'TCP' }],
      },
    ],
  };
}

function endpointSlice(advertised: Advertised | undefined): JsonObject | undefined {
  if (advertised === undefined) return undefined;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: API_SERVICE, labels: { 'kubernetes.io/service-name': API_SERVICE } },
    addressType: isIP(advertised.addresses[0] ?? '') === 6 ? 'IPv6' : 'IPv4',
    endpoints: advertised.addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ name: PORT, port: advertised.port, protocol: 'TCP' }],
  };
}
