/**
 * `kubeveil host-webhook`: what stands in for the mutating policies of `deploy/` on hosts that do not run such policies,
 * for `kubectl apply -f -`.
 */
import { stringify } from 'yaml';
import { webhookConfiguration } from '../controllers/walls/host-webhook.ts';
import { readManifests } from '../controllers/walls/manifests.ts';
import { clientConfigOf, RelaySecrets, type RelayTarget } from '../onboarding/relay.ts';
import { doorOf } from '../relay/keys.ts';
import { MUTATIONS_ROOT } from '../tenancy/host-names.ts';
import { withHost } from './host.ts';
import { print } from './output.ts';

interface HostWebhookOptions {
  kubeconfig?: string;
  url?: string;
  service?: Extract<RelayTarget, { service: object }>['service'];
}

export async function hostWebhook({ kubeconfig, url, service }: HostWebhookOptions): Promise<void> {
  if (url !== undefined && service !== undefined) throw new Error('give either --url or --service');
  const configuration = await withHost(kubeconfig, async (upstream) => {
    const secrets = new RelaySecrets(upstream);
    const { server, caPem } = await secrets.published({ isGiven: url !== undefined || service !== undefined });
    const target = service === undefined ? { url: url ?? server } : { service };
    const root = `${MUTATIONS_ROOT}${doorOf(await secrets.token(false), 'mutations')}/`;
    return webhookConfiguration(readManifests(), (policy) => clientConfigOf({ target, caPem }, root + policy));
  });
  print(stringify(configuration, { lineWidth: 0 }));
}
