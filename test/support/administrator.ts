/** What tests do on the host as its administrator, beyond a single request. */
import type { KubeClient } from '../../src/dev/kube-client.ts';
import type { JsonObject } from '../../src/k8s/types.ts';

/** @returns the object that was answered. @throws unless the host does it */
export async function must(
  admin: KubeClient,
  method: string,
  path: string,
  body?: unknown,
  contentType?: string,
): Promise<JsonObject> {
  const answer = await admin.send(method, path, body, contentType);
  if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as JsonObject;
}

export async function exists(admin: KubeClient, path: string): Promise<boolean> {
  return (await admin.send('GET', path)).status === 200;
}

/** A token of an account in `kubeveil-system`; `kubeveil` is the one that the proxy starts with. It holds for a day. */
export async function accountToken(admin: KubeClient, account: string): Promise<string> {
  const path = `/api/v1/namespaces/kubeveil-system/serviceaccounts/${account}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } };
  const { status } = (await must(admin, 'POST', path, request)) as { status?: { token?: string } };
  if (status?.token === undefined) throw new Error(`the host gave no token for ${account}`);
  return status.token;
}
