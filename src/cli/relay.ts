/** `kubeveil relay`: what turns the relay on, for `kubectl apply -f -`. */
import { stringify } from 'yaml';
import { runsMutatingPolicies } from '../controllers/walls/host-webhook.ts';
import { RelaySecrets, type RelayTarget, relayManifests } from '../onboarding/relay.ts';
import { doorOf } from '../relay/keys.ts';
import { createHostClient } from '../upstream/host-client.ts';
import { withHost } from './host.ts';
import { print } from './output.ts';

interface RelayOptions {
  kubeconfig?: string;
  url?: string;
  service?: Extract<RelayTarget, { service: object }>['service'];
  rotate: boolean;
}

export async function relay({ kubeconfig, url, service, rotate }: RelayOptions): Promise<void> {
  if (url !== undefined && service !== undefined) throw new Error('give either --url or --service');
  const manifests = await withHost(kubeconfig, async (upstream) => {
    if (!(await runsMutatingPolicies(createHostClient(upstream, { as: 'reader' })))) {
      throw new Error(
        'this host runs no MutatingAdmissionPolicies, which the relay needs: upgrade it to Kubernetes 1.36',
      );
    }
    const secrets = new RelaySecrets(upstream);
    const { server, caPem } = await secrets.published({ isGiven: url !== undefined || service !== undefined });
    const target = service === undefined ? { url: url ?? server } : { service };
    const token = await secrets.token(rotate);
    return relayManifests({ target, token, door: doorOf(token, 'relay'), caPem });
  });
  print(manifests.map((one) => stringify(one, { lineWidth: 0 })).join('---\n'));
}
