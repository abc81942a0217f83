/**
 * What a kubelet gives to a container of a pod, worked out as it does: the environment, with the variables of the host's
 * own Service `kubernetes` first, and the files of its projected volumes, with a token that the node asks for. Here no
 * kubelet runs containers; a process that is given exactly this is what a program in one would be.
 *
 * @see k8s.io/kubernetes pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables), pkg/volume/projected/projected.go at v1.36
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KubeObject } from './as-tenant.ts';
import type { ControlPlaneFacts } from './control-plane.ts';
import { jsonOf, requestOnce } from './http.ts';
import { eventually } from './processes.ts';

export interface PodRuntime {
  /** Of its first container. */
  readonly env: Readonly<Record<string, string>>;
  /** By the path in the container: `/var/run/secrets/kubernetes.io/serviceaccount/token`. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * @param namespace upstream
 * @throws when the host refuses what a kubelet asks for: then the container does not start
 */
export async function asKubelet(facts: ControlPlaneFacts, namespace: string, name: string): Promise<PodRuntime> {
  const core = `/api/v1/namespaces/${namespace}`;
  const pod = await ask(facts, 'GET', `${core}/pods/${name}`);
  const [container] = pod.spec.containers;
  const { spec } = await ask(facts, 'GET', '/api/v1/namespaces/default/services/kubernetes');
  const env = new Map([
    ['KUBERNETES_SERVICE_HOST', String(spec.clusterIP)],
    ['KUBERNETES_SERVICE_PORT', String(spec.ports[0].port)],
  ]);
  for (const variable of container.env ?? []) {
    const reference = variable.valueFrom?.fieldRef;
    env.set(variable.name, reference === undefined ? expanded(variable.value ?? '', env) : fieldOf(pod, reference));
  }
  const files = new Map<string, string>();
  for (const mount of container.volumeMounts ?? []) {
    const volume = pod.spec.volumes.find((one: KubeObject) => one.name === mount.name);
    for (const source of volume?.projected?.sources ?? [volume]) {
      for (const [path, text] of await filesOf(facts, pod, source)) files.set(join(mount.mountPath, path), text);
    }
  }
  return { env: Object.fromEntries(env), files };
}

/** Writes the files below a folder, as if it were the root of the container. */
export function mountBelow(root: string, { files }: PodRuntime): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o600 });
  }
}

async function filesOf(facts: ControlPlaneFacts, pod: KubeObject, source: KubeObject): Promise<[string, string][]> {
  const { namespace, name, uid } = pod.metadata;
  if (source?.serviceAccountToken !== undefined) {
    const { audience, expirationSeconds, path } = source.serviceAccountToken;
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid };
    const spec = { audiences: audience === undefined ? [] : [audience], expirationSeconds, boundObjectRef };
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts/${pod.spec.serviceAccountName}/token`;
    const made = await ask(facts, 'POST', account, nodeOf(pod), { kind: 'TokenRequest', spec });
    return [[path, made.status.token]];
  }
  if (source?.configMap !== undefined) {
    const path = `/api/v1/namespaces/${namespace}/configmaps/${source.configMap.name}`;
    let data: Record<string, string> = {};
    await eventually(`${path} is there, which a kubelet waits for`, async () => {
      const answer = await ask(facts, 'GET', path, nodeOf(pod)).catch(() => undefined);
      data = answer?.data ?? {};
      return answer !== undefined;
    });
    const items = source.configMap.items ?? Object.keys(data).map((key) => ({ key, path: key }));
    return items.map((item: KubeObject) => [item.path, data[item.key] ?? '']);
  }
  return (source?.downwardAPI?.items ?? []).map((item: KubeObject) => [item.path, fieldOf(pod, item.fieldRef)]);
}

function fieldOf({ metadata }: KubeObject, { fieldPath }: KubeObject): string {
  const annotation = /^metadata\.annotations\['(.+)'\]$/.exec(fieldPath);
  if (annotation !== null) return metadata.annotations?.[annotation[1] ?? ''] ?? '';
  const plain = /^metadata\.(name|namespace|uid)$/.exec(fieldPath);
  if (plain === null) throw new Error(`the kubelet of this test knows no field ${fieldPath}`);
  return metadata[plain[1] ?? ''];
}

/** `$(NAME)`, of what comes before it. */
function expanded(text: string, env: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\(([A-Za-z_]\w*)\)/g, (whole, name: string) => env.get(name) ?? whole);
}

/** The identity of the kubelet on the pod's node, which the host's node authorizer holds to what its pods need. */
function nodeOf(pod: KubeObject): Record<string, string> {
  return { 'impersonate-user': `system:node:${pod.spec.nodeName}`, 'impersonate-group': 'system:nodes' };
}

async function ask(
  facts: ControlPlaneFacts,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<KubeObject> {
  const { server, caPem, adminCertPem: certPem, adminKeyPem: keyPem } = facts;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await requestOnce({ server, caPem, certPem, keyPem, method, path, headers, body: text });
  if (answer.status > 299) throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.text}`);
  return jsonOf<KubeObject>(answer);
}
