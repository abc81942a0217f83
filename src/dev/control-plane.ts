/**
 * Starts a real Kubernetes control plane on loopback: etcd, kube-apiserver, kube-controller-manager, kube-scheduler,
 * kwok as the kubelet of some nodes, a program that serves what kwok does not of one (logs, exec and the like), and
 * metrics-server. `npm start`, the tests and CI stand on it. Every start is a new, empty cluster; when this process ends, however it ends, all programs end.
 */

import { mkdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type CertificatePair, type ClientSubject, issueClient } from '../pki/certificates.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import type { ChildSpec } from './child.ts';
import { type ClusterFiles, hostKubeconfig, writeClusterFiles } from './cluster-files.ts';
import { createNodes, createStorageClass, nodeNames, removeVolumeFolders, waitUntilUsable } from './cluster-objects.ts';
import { DevError } from './errors.ts';
import { createKubeClient, type KubeClient } from './kube-client.ts';
import { tryLock } from './lock.ts';
import { createMetricsApi, isMetricsApiServed } from './metrics-api.ts';
import { choosePort } from './ports.ts';
import { programArgs, type ServerName } from './program-args.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import type { OptionalName } from './versions.ts';

const CONFIG_DIR = fileURLToPath(new URL('../../deploy/dev-cluster', import.meta.url));
const POLL_MS = 25;
const STOP_GRACE_MS = 8_000;
/** Between etcd and the API server, and stopped first, together: nothing else asks anything of them. */
const AROUND: readonly ServerName[] = [
  'dev-kubelet',
  'kwok',
  'metrics-server',
  'kube-scheduler',
  'kube-controller-manager',
];
const SERVER_NAMES: readonly ServerName[] = ['etcd', 'kube-apiserver', ...AROUND];

export interface ControlPlaneOptions {
  /** Holds data, keys and logs. The folders `etcd`, `pki` and `logs` in it are emptied at the start. */
  readonly workDir: string;
  /** Default: found by `findBinaries`. */
  readonly binaries?: Binaries;
  /** Number of kwok nodes; default 2. */
  readonly nodes?: number;
  /** Loopback ports; 0 or none means any free one. */
  readonly ports?: Partial<
    Readonly<Record<'apiserver' | 'etcd' | 'etcdPeer' | 'kubelet' | 'usage' | 'metrics', number>>
  >;
  /** A default StorageClass whose claims become Bound; default true. */
  readonly volumes?: boolean;
  /** Write an audit log (Metadata level); default true. */
  readonly audit?: boolean;
  /** More flags per program, appended: `{ 'kube-apiserver': ['--feature-gates=X=true'] }`. */
  readonly extraArgs?: Partial<Record<ServerName, readonly string[]>>;
  /** How long a start may take once the programs are found; default two minutes. */
  readonly timeoutMs?: number;
  /** Hears one line per step that a person may want to see. */
  readonly progress?: (line: string) => void;
  /** Stops finding, building and starting. */
  readonly signal?: AbortSignal;
  /** Hears when a program ends by itself after the start; the message holds the end of its log. */
  readonly onUnexpectedExit?: (program: ServerName, error: Error) => void;
}

/** Without what could not be built. */
export type PerServer<T> = Readonly<Record<Exclude<ServerName, OptionalName>, T> & Partial<Record<OptionalName, T>>>;

export interface ControlPlane extends AsyncDisposable {
  /** `https://127.0.0.1:<port>` */
  readonly server: string;
  readonly caPem: string;
  /** A member of `system:masters`. */
  readonly admin: CertificatePair;
  readonly adminKubeconfig: string;
  readonly adminKubeconfigPath: string;
  /** The CA's files, for tests in other processes that issue certificates of their own. */
  readonly caCertPath: string;
  readonly caKeyPath: string;
  /** kubectl of the control plane's own version. */
  readonly kubectlPath: string;
  /** JSON lines, one per finished request; undefined when `audit` is off. */
  readonly auditLogPath: string | undefined;
  readonly workDir: string;
  readonly nodes: readonly string[];
  /** The programs as they are now; a restarted one has a new pid. */
  programs(): PerServer<{ readonly pid: number; readonly logPath: string; readonly running: boolean }>;
  /** Signs a client certificate for a user of the host cluster. */
  issueClient(subject: ClientSubject): Promise<CertificatePair>;
  /** A kubeconfig for a user of the host cluster, with a new certificate. */
  kubeconfigFor(subject: ClientSubject): Promise<string>;
  /** Ends the program in order if it runs, starts it again, and waits until it answers (etcd and kube-apiserver). */
  restart(program: ServerName): Promise<void>;
  /** SIGKILL. `restart` brings the program back. */
  kill(program: ServerName): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers. */
  freeze(program: ServerName): void;
  /** SIGCONT. */
  thaw(program: ServerName): void;
  /** Ends all programs in order and waits for them. The work folder stays, for its logs. */
  stop(): Promise<void>;
}

/**
 * Starts a control plane and waits until pods can be made on it: about four seconds, more when programs must be
 * fetched or built first.
 * @throws {DevError} PROGRAMS_NOT_FOUND, PORT_TAKEN, FOLDER_IN_USE, PROGRAM_FAILED (with the end of the program's
 *   log) or TIMED_OUT; nothing is left running
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { progress = () => {}, signal } = options;
  const workDir = resolve(options.workDir);
  const nodes = nodeNames(options.nodes ?? 2);
  const binaries = options.binaries ?? (await findBinaries({ progress, ...(signal && { signal }) }));
  const deadlineMs = Date.now() + (options.timeoutMs ?? 120_000);
  await using cleanup = new AsyncDisposableStack();

  cleanup.use(await lockFolder(workDir));
  const logs = join(workDir, 'logs');
  const etcdDataDir = join(workDir, 'etcd');
  for (const dir of [logs, etcdDataDir, join(workDir, 'pki')]) await rm(dir, { recursive: true, force: true });
  await mkdir(logs, { recursive: true });

  const etcdPort = await choosePort(options.ports?.etcd, 'ports.etcd');
  const etcdPeerPort = await choosePort(options.ports?.etcdPeer, 'ports.etcdPeer');
  const apiserverPort = await choosePort(options.ports?.apiserver, 'ports.apiserver');
  const kubeletPort = await choosePort(options.ports?.kubelet, 'ports.kubelet');
  const usagePort = await choosePort(options.ports?.usage, 'ports.usage');
  const metricsPort = await choosePort(options.ports?.metrics, 'ports.metrics');
  const server = `https://127.0.0.1:${apiserverPort}`;
  const files = await writeClusterFiles(join(workDir, 'pki'), server);
  const auditLogPath = options.audit === false ? undefined : join(logs, 'audit.log');
  const args = programArgs(
    {
      files,
      etcdDataDir,
      etcdPort,
      etcdPeerPort,
      apiserverPort,
      kubeletPort,
      usagePort,
      metricsPort,
      containersDir: join(workDir, 'containers'),
      configDir: CONFIG_DIR,
      auditLogPath,
    },
    options.extraArgs,
  );
  const servers = SERVER_NAMES.filter((name) => binaries[name] !== undefined);

  let started = false;
  const specs = perServer(servers, (name) => ({
    name,
    file: binaries[name] ?? '',
    args: args[name],
    logPath: join(logs, `${name}.log`),
    // So that no program reads a configuration of the user's.
    env: { HOME: workDir },
  }));
  const supervisor = createSupervisor(specs as Record<ServerName, ChildSpec>, (name, error) => {
    if (started) options.onUnexpectedExit?.(name, error);
  });
  const client = createKubeClient({ server, caPem: files.authority.certPem, ...files.admin });
  cleanup.defer(() => stopAll(supervisor, client));

  async function run(name: ServerName, untilMs: number): Promise<void> {
    // Ends the polling when the program ends first.
    const giveUp = new AbortController();
    const until = signal === undefined ? giveUp.signal : AbortSignal.any([signal, giveUp.signal]);
    try {
      await supervisor.start(name);
      if (name === 'etcd') await supervisor.whileRunning(name, waitForPort(name, etcdPort, untilMs, until));
      if (name === 'kube-apiserver') await supervisor.whileRunning(name, waitForReadyz(client, untilMs, until));
    } finally {
      giveUp.abort();
    }
  }

  progress(`starting the control plane at ${server}`);
  await run('etcd', deadlineMs);
  await run('kube-apiserver', deadlineMs);
  for (const name of AROUND.filter((one) => servers.includes(one))) await run(name, deadlineMs);
  await Promise.all([
    createNodes(client, nodes, kubeletPort),
    options.volumes === false ? undefined : createStorageClass(client),
  ]);
  async function serveMetrics(untilMs: number): Promise<void> {
    const until = signal ?? new AbortController().signal;
    await waitForPort('metrics-server', metricsPort, untilMs, until);
    await createMetricsApi(client, metricsPort, files.authority.certPem);
    while (!(await isMetricsApiServed(client))) await pause(untilMs, 'metrics.k8s.io is not served', until);
  }

  let usable = Promise.all([
    waitUntilUsable(client, nodes, deadlineMs, signal),
    servers.includes('metrics-server') ? serveMetrics(deadlineMs) : undefined,
  ]);
  for (const name of servers) usable = supervisor.whileRunning(name, usable);
  await usable;
  started = true;

  const owned = cleanup.move();
  let stopping: Promise<void> | undefined;
  function stop(): Promise<void> {
    stopping ??= owned.disposeAsync();
    return stopping;
  }

  return {
    ...facts(files, server),
    kubectlPath: binaries.kubectl,
    auditLogPath,
    workDir,
    nodes,
    programs: () =>
      perServer(servers, (name) => {
        const { pid, running, spec } = supervisor.child(name);
        return { pid, running, logPath: spec.logPath };
      }),
    issueClient: (subject) => issueClient(files.authority, subject),
    kubeconfigFor: async (subject) =>
      hostKubeconfig(server, files.authority, subject.user, await issueClient(files.authority, subject)),
    async restart(name) {
      await supervisor.stop([name], STOP_GRACE_MS);
      await run(name, Date.now() + 60_000);
    },
    kill: (name) => supervisor.kill(name),
    freeze: (name) => supervisor.freeze(name),
    thaw: (name) => supervisor.thaw(name),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function perServer<T>(servers: readonly ServerName[], make: (name: ServerName) => T): PerServer<T> {
  return Object.fromEntries(servers.map((name) => [name, make(name)])) as unknown as PerServer<T>;
}

function facts(files: ClusterFiles, server: string) {
  return {
    server,
    caPem: files.authority.certPem,
    admin: files.admin,
    adminKubeconfig: files.adminKubeconfig,
    adminKubeconfigPath: files.path('admin.kubeconfig'),
    caCertPath: files.path('ca.crt'),
    caKeyPath: files.path('ca.key'),
  };
}

async function stopAll(supervisor: Supervisor<ServerName>, client: KubeClient): Promise<void> {
  // A frozen program would keep the others waiting.
  supervisor.thawAll();
  await supervisor.stop(AROUND, STOP_GRACE_MS);
  await removeVolumeFolders(client);
  client.close();
  await supervisor.stop(['kube-apiserver'], STOP_GRACE_MS);
  await supervisor.stop(['etcd'], STOP_GRACE_MS);
}

async function lockFolder(workDir: string): Promise<AsyncDisposable> {
  const lock = await tryLock(join(workDir, 'control-plane.lock'));
  if (!('heldBy' in lock)) return lock;
  throw new DevError(
    'FOLDER_IN_USE',
    `A control plane of process ${lock.heldBy} already uses ${workDir}. Stop that process, or choose another work folder.`,
  );
}

async function waitForPort(name: ServerName, port: number, deadlineMs: number, signal: AbortSignal): Promise<void> {
  while (!(await canConnect(port))) await pause(deadlineMs, `${name} does not listen on 127.0.0.1:${port}`, signal);
}

async function waitForReadyz(client: KubeClient, deadlineMs: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const status = await client.send('GET', '/readyz').then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await pause(deadlineMs, `kube-apiserver is not ready (last answer of /readyz: ${status || 'none'})`, signal);
  }
}

async function pause(deadlineMs: number, what: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (Date.now() > deadlineMs) throw new DevError('TIMED_OUT', `${what}; see its log in the work folder.`);
  await sleep(POLL_MS);
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
