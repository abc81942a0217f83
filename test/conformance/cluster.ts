/**
 * What the suite runs against: a control plane of its own on loopback and, unless asked for that alone, the proxy as an
 * operator runs it with one tenant under the policy `trusted`. All of it ends, and its folder goes, when it is disposed of.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli } from '../support/cli.ts';
import { factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { startProxy } from '../support/product.ts';
import { type AuditProof, readAuditProof } from './audit-proof.ts';

/** Short: the suite makes namespaces whose names leave five characters. */
const TENANT = 'e2e';

export interface SuiteCluster extends AsyncDisposable {
  /** Of the tenant's administrator, or of the control plane's own. */
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  /** A folder that goes with the cluster. */
  readonly folder: string;
  /** Of the proxy, where there is one. */
  readonly logPath: string | undefined;
  /** What the host's audit log says of everything since the tenant was made; undefined without a proxy. */
  proof(): AuditProof | undefined;
}

/** @param isDirect leaves the proxy out, to tell what the control plane itself does */
export async function startCluster(
  isDirect: boolean,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<SuiteCluster> {
  await using stack = new AsyncDisposableStack();
  const controlPlane = stack.use(await startPrivateControlPlane({ progress, signal }));
  const { adminKubeconfigPath, kubectlPath, workDir: folder } = controlPlane;
  if (isDirect) {
    const owned = stack.move();
    return {
      kubeconfigPath: adminKubeconfigPath,
      kubectlPath,
      folder,
      logPath: undefined,
      proof: () => undefined,
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  }
  const facts = factsOf(controlPlane);
  progress('starting the proxy');
  const { logPath } = stack.use(await startProxy(facts));
  const kubeconfigPath = join(folder, 'tenant.kubeconfig');
  await cli([
    ...['tenant', 'create', TENANT, '--policy', 'trusted'],
    ...['--kubeconfig', adminKubeconfigPath, '--out', kubeconfigPath],
  ]);
  // From here on only the suite asks for anything: what the administrator's kubectl did before is no stray.
  const startBytes = readFileSync(facts.auditLogPath).length;
  const owned = stack.move();
  return {
    kubeconfigPath,
    kubectlPath,
    folder,
    logPath,
    proof: () => readAuditProof(readFileSync(facts.auditLogPath).subarray(startBytes).toString('utf8'), TENANT),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
