/**
 * kubectl of older minor versions inside of pods. Not among what `npm test` runs by itself: their first build takes
 * minutes. What kubectl of the control plane's version does is in `../kubectl.test.ts`.
 */
import { beforeAll, describe } from 'vitest';
import { useProduct } from '../../support/as-tenant.ts';
import { describeStreams } from '../support/kubectl-streams.ts';
import { type KubectlVersion, kubectlOf } from '../support/kubectl-versions.ts';
import { MAKING_MS } from '../support/programs.ts';

const product = useProduct();

describe.each(['1.30', '1.34'] as const)('kubectl %s', (version: KubectlVersion) => {
  let program: string;
  beforeAll(async () => {
    program = await kubectlOf(version);
  }, MAKING_MS);
  describeStreams({ product, namespace: `kubectl-${version.replace('.', '-')}`, program: () => program });
});
