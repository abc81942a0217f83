/**
 * The command line of each program of a control plane. Everything listens on loopback only, with TLS and client
 * certificates; the controller manager and the scheduler listen on nothing at all.
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/ (v1.36)
 */

import { type ClusterFiles, SERVICE_CIDR } from './cluster-files.ts';

/** The programs that run; kubectl is not one of them. */
export type ServerName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kwok'
  | 'dev-kubelet'
  | 'metrics-server';

export interface ArgsInput {
  readonly files: ClusterFiles;
  readonly etcdDataDir: string;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  readonly apiserverPort: number;
  readonly kubeletPort: number;
  /** Where kwok tells what pods and nodes use. */
  readonly usagePort: number;
  readonly metricsPort: number;
  /** Where the containers' folders are. */
  readonly containersDir: string;
  /** Folder of audit-policy.yaml and kwok.yaml. */
  readonly configDir: string;
  /** No audit log when undefined. */
  readonly auditLogPath: string | undefined;
}

/** The arguments of all programs; `extra` comes last, where it overrides flags that are given once. */
export function programArgs(
  input: ArgsInput,
  extra: Partial<Record<ServerName, readonly string[]>> = {},
): Record<ServerName, string[]> {
  return {
    etcd: [...etcdArgs(input), ...(extra.etcd ?? [])],
    'kube-apiserver': [...apiserverArgs(input), ...(extra['kube-apiserver'] ?? [])],
    'kube-controller-manager': [...controllerManagerArgs(input), ...(extra['kube-controller-manager'] ?? [])],
    'kube-scheduler': [...schedulerArgs(input), ...(extra['kube-scheduler'] ?? [])],
    kwok: [...kwokArgs(input), ...(extra.kwok ?? [])],
    'dev-kubelet': [...devKubeletArgs(input), ...(extra['dev-kubelet'] ?? [])],
    'metrics-server': [...metricsServerArgs(input), ...(extra['metrics-server'] ?? [])],
  };
}

function etcdArgs({ files, etcdDataDir, etcdPort, etcdPeerPort }: ArgsInput): string[] {
  const client = `https://127.0.0.1:${etcdPort}`;
  const peer = `https://127.0.0.1:${etcdPeerPort}`;
  return [
    '--name=kubeveil',
    `--data-dir=${etcdDataDir}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=kubeveil=${peer}`,
    '--client-cert-auth',
    `--trusted-ca-file=${files.path('etcd-ca.crt')}`,
    `--cert-file=${files.path('etcd.crt')}`,
    `--key-file=${files.path('etcd.key')}`,
    '--peer-client-cert-auth',
    `--peer-trusted-ca-file=${files.path('etcd-ca.crt')}`,
    `--peer-cert-file=${files.path('etcd.crt')}`,
    `--peer-key-file=${files.path('etcd.key')}`,
    // The data lives as long as the run; a machine that loses power loses a test, nothing else.
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

function apiserverArgs({ files, etcdPort, apiserverPort, configDir, auditLogPath }: ArgsInput): string[] {
  const audit =
    auditLogPath === undefined
      ? []
      : [
          `--audit-policy-file=${configDir}/audit-policy.yaml`,
          `--audit-log-path=${auditLogPath}`,
          // In MB. A test run stays far below; a control plane that is left on for days does not fill the disk.
          '--audit-log-maxsize=250',
          '--audit-log-maxbackup=1',
        ];
  return [
    `--etcd-servers=https://127.0.0.1:${etcdPort}`,
    `--etcd-cafile=${files.path('etcd-ca.crt')}`,
    `--etcd-certfile=${files.path('etcd-client.crt')}`,
    `--etcd-keyfile=${files.path('etcd-client.key')}`,
    '--bind-address=127.0.0.1',
    // Given, because the API server looks for a default route otherwise, which a closed container does not have.
    '--advertise-address=127.0.0.1',
    `--secure-port=${apiserverPort}`,
    `--tls-cert-file=${files.path('apiserver.crt')}`,
    `--tls-private-key-file=${files.path('apiserver.key')}`,
    `--client-ca-file=${files.path('ca.crt')}`,
    // No name service knows the nodes.
    '--kubelet-preferred-address-types=InternalIP',
    `--kubelet-certificate-authority=${files.path('ca.crt')}`,
    `--kubelet-client-certificate=${files.path('kubelet-client.crt')}`,
    `--kubelet-client-key=${files.path('kubelet-client.key')}`,
    // How the server of an aggregated API knows that a request comes from here, and whose it is.
    `--requestheader-client-ca-file=${files.path('front-proxy-ca.crt')}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${files.path('front-proxy-client.crt')}`,
    `--proxy-client-key-file=${files.path('front-proxy-client.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.path('service-account.pub')}`,
    `--service-account-signing-key-file=${files.path('service-account.key')}`,
    `--service-cluster-ip-range=${SERVICE_CIDR}`,
    '--authorization-mode=Node,RBAC',
    '--allow-privileged=true',
    // A loopback address cannot be an endpoint of the Service `default/kubernetes`.
    '--endpoint-reconciler-type=none',
    ...audit,
  ];
}

function controllerManagerArgs({ files }: ArgsInput): string[] {
  return [
    `--kubeconfig=${files.path('kube-controller-manager.kubeconfig')}`,
    `--service-account-private-key-file=${files.path('service-account.key')}`,
    `--root-ca-file=${files.path('ca.crt')}`,
    `--cluster-signing-cert-file=${files.path('ca.crt')}`,
    `--cluster-signing-key-file=${files.path('ca.key')}`,
    '--use-service-account-credentials=true',
    '--leader-elect=false',
    '--controllers=*,-nodeipam',
    // Provisions the volumes of the StorageClass in cluster-objects.ts, as a host's provisioner would.
    '--enable-hostpath-provisioner=true',
    // The default of 20 and 30 makes the start four seconds longer. A measurement of what the host's controllers
    // can do must set the default again by `extraArgs`.
    '--kube-api-qps=100',
    '--kube-api-burst=200',
    // An autoscaler acts on what it sees within seconds instead of minutes.
    '--horizontal-pod-autoscaler-sync-period=2s',
    '--horizontal-pod-autoscaler-initial-readiness-delay=1s',
    '--horizontal-pod-autoscaler-cpu-initialization-period=1s',
    '--secure-port=0',
  ];
}

function schedulerArgs({ files }: ArgsInput): string[] {
  return [`--kubeconfig=${files.path('kube-scheduler.kubeconfig')}`, '--leader-elect=false', '--secure-port=0'];
}

function kwokArgs({ files, configDir, usagePort }: ArgsInput): string[] {
  return [
    `--kubeconfig=${files.path('kwok.kubeconfig')}`,
    `--config=${configDir}/kwok.yaml`,
    '--manage-all-nodes=true',
    '--node-lease-duration-seconds=40',
    '--cidr=10.244.0.0/16',
    '--node-ip=127.0.0.1',
    `--server-address=127.0.0.1:${usagePort}`,
    `--tls-cert-file=${files.path('kubelet.crt')}`,
    `--tls-private-key-file=${files.path('kubelet.key')}`,
  ];
}

function devKubeletArgs({ files, kubeletPort, containersDir }: ArgsInput): string[] {
  return [
    `--address=127.0.0.1:${kubeletPort}`,
    `--tls-cert-file=${files.path('kubelet.crt')}`,
    `--tls-private-key-file=${files.path('kubelet.key')}`,
    `--client-ca-file=${files.path('ca.crt')}`,
    `--kubeconfig=${files.path('kwok.kubeconfig')}`,
    `--root-dir=${containersDir}`,
  ];
}

function metricsServerArgs({ files, usagePort, metricsPort }: ArgsInput): string[] {
  const kubeconfig = files.path('metrics-server.kubeconfig');
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${metricsPort}`,
    `--tls-cert-file=${files.path('metrics-server.crt')}`,
    `--tls-private-key-file=${files.path('metrics-server.key')}`,
    // As often as it will.
    '--metric-resolution=10s',
    '--kubelet-request-timeout=5s',
    '--kubelet-preferred-address-types=InternalIP',
    `--kubelet-port=${usagePort}`,
    `--kubelet-certificate-authority=${files.path('ca.crt')}`,
  ];
}
