/** kubectl of the control plane's own version inside of pods. Older ones: `slow/kubectl.test.ts`. */
import { useProduct } from '../support/as-tenant.ts';
import { describeStreams } from './support/kubectl-streams.ts';

describeStreams({ product: useProduct(), namespace: 'kubectl-streams', program: () => undefined });
