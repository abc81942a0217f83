/** Tenants on a host with the relay, and the host's administrator, by kubectl. */
import { child, objects } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { ControlPlaneFacts } from './control-plane.ts';
import { runKubectl } from './kubectl.ts';
import { SERVICE, SPACE, webhookConfiguration, webhookService } from './mesh.ts';
import { eventually } from './processes.ts';
import type { TenantFacts } from './product.ts';
import type { WebhookServer } from './webhook-server.ts';

const kubectl = async (config: string, args: string, stdin?: unknown): Promise<string> => {
  const options = stdin === undefined ? {} : { stdin: JSON.stringify(stdin) };
  const ran = await runKubectl(config, args.split(' '), options);
  if (ran.code !== 0) throw new Error(`kubectl ${args} ended with ${ran.code}\n${ran.stdout}\n${ran.stderr}`);
  return ran.stdout;
};

export const itemsOf = (text: string) => objects(JSON.parse(text) as JsonObject, 'items');
export const namesIn = (pod: JsonObject | undefined) =>
  objects(child(pod ?? {}, 'spec'), 'containers').map(({ name }) => name);

export function onRelayHost(host: ControlPlaneFacts, tenants: ReadonlyMap<string, TenantFacts>) {
  const onHost = (args: string, stdin?: unknown) => kubectl(host.adminKubeconfigPath, args, stdin);
  const as = (tenant: string, args: string, stdin?: unknown) =>
    kubectl(tenants.get(tenant)?.kubeconfigPath ?? '', args, stdin);

  /** The condition `Relay` of a Tenant, once it is as expected; `{}` is none. */
  async function relayCondition(tenant: string, isSo: (condition: JsonObject) => boolean): Promise<JsonObject> {
    let found: JsonObject = {};
    await eventually(`the condition of ${tenant}`, async () => {
      const { status = null } = JSON.parse(await onHost(`get tenant ${tenant} -o json`)) as JsonObject;
      found = objects(child({ status }, 'status'), 'conditions').find(({ type }) => type === 'Relay') ?? {};
      return isSo(found);
    });
    return found;
  }

  /** A namespace in which a pod stands for the webhook server, and a webhook for pods of the label `mesh`. */
  async function giveWebhook(
    tenant: string,
    webhooks: WebhookServer,
    path: string,
    extra: JsonObject = {},
  ): Promise<void> {
    await as(tenant, `create namespace ${SPACE}`);
    await as(tenant, `run ${SERVICE} -n ${SPACE} --image=none`);
    await as(tenant, 'apply -f -', webhookService(webhooks.port));
    await as(tenant, `wait pod/${SERVICE} -n ${SPACE} --for=condition=Ready --timeout=120s`);
    await as(tenant, 'create -f -', webhookConfiguration(webhooks.caPem, path, extra));
  }

  /** The pod of a Deployment, as its tenant sees it and as it is. */
  async function podOf(tenant: string, app: string): Promise<{ seen: JsonObject; stored: JsonObject }> {
    const found = async () => itemsOf(await as(tenant, `get pods -l app=${app} -o json`));
    await eventually(`${tenant} has a pod of ${app}`, async () => (await found()).length === 1);
    const [seen = {}] = await found();
    const [stored = {}] = itemsOf(await onHost(`get pods -n ${tenant}--default -l app=${app} -o json`));
    return { seen, stored };
  }

  return { as, onHost, relayCondition, giveWebhook, podOf };
}
