/** All commands and options, with their help. */

import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { readObject } from '../codec/json.ts';
import { flagOf, SETTINGS, type SettingName } from '../config/settings.ts';
import { text } from '../k8s/read.ts';
import { PROXY_NAMESPACE } from '../tenancy/host-names.ts';
import { count, durationOption, listenAddress, port, serviceName } from './values.ts';

const NODE_CACHE_LISTEN = '127.0.0.1:6445';
const HUB_LISTEN = '0.0.0.0:6446';
const HOST = '--kubeconfig <file>';
const HOST_HELP = 'kubeconfig of the host cluster (default: KUBECONFIG, else ~/.kube/config)';

export function createProgram(): Command {
  const program = new Command('kubeveil')
    .description('Gives each tenant a virtual Kubernetes cluster of their own, on one real cluster.')
    .version(versionOfPackage())
    .showHelpAfterError('(run with --help for all options)')
    .exitOverride();

  const serveCommand = program
    .command('serve')
    .description('run the proxy in front of a cluster')
    .option('--config <file>', 'YAML file with the settings below');
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const preset = setting.default === undefined ? '' : ` (default: ${setting.default})`;
    serveCommand.option(`${flagOf(name as SettingName)} <${setting.value}>`, `${setting.help}${preset}`);
  }
  serveCommand.action(later(async () => (await import('./serve.ts')).serve));

  keeping(program.command('node-cache'), NODE_CACHE_LISTEN, '/var/lib/kubeveil-node-cache')
    .description('run the cache of a node, for the kubelet, kube-proxy and DaemonSets on it: docs/node-cache.md')
    .option('--node-kubeconfig <file>', 'the API server with the node’s credential, as the kubelet has it')
    .option('--node-name <name>', 'the node that it is on (default: NODE_NAME)')
    .option('--hub <URL>', 'a hub, which is asked for what is kept before the API server is')
    .option('--hub-ca <file>', 'CA of the certificate of the hub')
    .action(later(async () => (await import('./node-cache.ts')).nodeCache));
  keeping(program.command('node-cache-hub'), HUB_LISTEN, '/var/lib/kubeveil-node-cache-hub')
    .description('run a hub between node caches and the API server, for clusters of many nodes: docs/node-cache.md')
    .requiredOption('--tls-cert <file>', 'certificate that it shows, with those of its CAs')
    .requiredOption('--tls-key <file>', 'the key of it')
    .action(later(async () => (await import('./node-cache.ts')).nodeCacheHub));

  program
    .command('dev')
    .description('run a whole playground: a real control plane, the proxy, and two tenants')
    .option('--kubeconfig <file>', 'put the proxy in front of this cluster instead of starting one')
    .option('--port <port>', 'port of the proxy', port, 8443)
    .option('--apiserver-port <port>', 'port of the control plane (default: a free one)', port, 0)
    .option('--nodes <count>', 'number of nodes of the control plane', count, 2)
    .option('--folder <folder>', 'where kubeconfigs and data go', '.kubeveil')
    .option('--policies <folder>', SETTINGS.policies.help)
    .option('--log-level <level>', 'silent, error, warn, info or debug', 'warn')
    .action(later(async () => (await import('./dev.ts')).dev));

  const tenant = program.command('tenant').description('create, list, describe, suspend and delete tenants');
  tenant
    .command('create')
    .argument('<id>', 'lower-case letters, digits and single dashes, 3 to 20 characters')
    .description('create a tenant; returns when its kubeconfig works')
    .option(HOST, HOST_HELP)
    .option('--policy <name>', 'policy file of the tenant', 'default')
    .option('--oidc-group <name...>', 'groups of the identity provider whose members administer the tenant')
    .option('--out <file>', 'where its kubeconfig goes (default: <id>.kubeconfig)')
    .addOption(durationOption('--timeout <duration>', 'how long to wait', '60s', '1d'))
    .action(later(async () => (await import('./tenant.ts')).createTenant));
  tenant
    .command('list')
    .description('list tenants')
    .option(HOST, HOST_HELP)
    .addOption(output())
    .action(later(async () => (await import('./tenant.ts')).listTenants));
  tenant
    .command('describe')
    .argument('<id>')
    .description('show a tenant, its namespaces and what it waits for')
    .option(HOST, HOST_HELP)
    .addOption(output())
    .action(later(async () => (await import('./tenant.ts')).describeTenant));
  tenant
    .command('delete')
    .argument('<id>')
    .description('delete a tenant with everything that is its own; returns when all of it is gone')
    .option(HOST, HOST_HELP)
    .option('--no-wait', 'return at once')
    .addOption(durationOption('--timeout <duration>', 'how long to wait', '5m', '1d'))
    .action(later(async () => (await import('./tenant.ts')).deleteTenant));

  tenant
    .command('suspend')
    .argument('<id>')
    .description('refuse every request of a tenant; its pods go on running')
    .option(HOST, HOST_HELP)
    .action(later(async () => (await import('./tenant.ts')).suspendTenant));
  tenant
    .command('resume')
    .argument('<id>')
    .description('serve a tenant that was suspended; returns when it is served')
    .option(HOST, HOST_HELP)
    .addOption(durationOption('--timeout <duration>', 'how long to wait', '60s', '1d'))
    .action(later(async () => (await import('./tenant.ts')).resumeTenant));
  tenant
    .command('revoke')
    .argument('<id>')
    .description('make one client certificate of a tenant count no more')
    .option(HOST, HOST_HELP)
    .option('--serial <hex>', 'its serial number')
    .option('--file <kubeconfig>', 'a kubeconfig that holds it')
    .action(later(async () => (await import('./tenant.ts')).revokeCertificate));

  program
    .command('relay')
    .description(
      'print what has the host ask tenants’ own admission about what its controllers make: for kubectl apply',
    )
    .option(HOST, HOST_HELP)
    .option('--url <url>', 'URL at which the API server reaches the proxy (default: as the proxy says it)')
    .addOption(serviceOption())
    .option('--rotate', 'with a new token; the one before counts until the next time', false)
    .action(later(async () => (await import('./relay.ts')).relay));

  program
    .command('host-webhook')
    .description(
      'print the webhook that a host before Kubernetes 1.36 needs, which runs no mutating policies: for kubectl apply',
    )
    .option(HOST, HOST_HELP)
    .option('--url <url>', 'URL at which the API server reaches the proxy (default: as the proxy says it)')
    .addOption(serviceOption())
    .action(later(async () => (await import('./host-webhook.ts')).hostWebhook));

  const policy = program
    .command('policy')
    .description('check, test, explain and compare policy files, without a cluster');
  policy
    .command('check')
    .description('say what is wrong with the policy files, with file, line and column')
    .option('--policies <folder>', SETTINGS.policies.help)
    .action(later(async () => (await import('./policy.ts')).checkPolicies));
  policy
    .command('test')
    .argument('[name...]', 'policies (default: all)')
    .description('run the cases beside the policy files (<name>.test.yaml)')
    .option('--policies <folder>', SETTINGS.policies.help)
    .action(later(async () => (await import('./policy.ts')).testPolicies));
  policy
    .command('explain')
    .argument('<name>')
    .description('show every setting of a policy with its value')
    .option('--policies <folder>', SETTINGS.policies.help)
    .addOption(output())
    .action(later(async () => (await import('./policy.ts')).explainPolicy));
  policy
    .command('diff')
    .argument('<before>', 'a policy by name, or with its folder: old/policies/default')
    .argument('<after>')
    .description('show the settings in which two policies differ')
    .option('--policies <folder>', SETTINGS.policies.help)
    .action(later(async () => (await import('./policy.ts')).diffPolicies));

  program
    .command('kubeconfig')
    .argument('<tenant>')
    .description('make a kubeconfig for a user of a tenant')
    .option(HOST, HOST_HELP)
    .option('--user <name>', 'name of the user', 'admin')
    .option('--group <name...>', 'groups of the user (default: system:masters, which administers the tenant)')
    .option('--service-account <namespace/name>', 'a token of this service account instead of a certificate')
    .option('--oidc-issuer <url>', 'a login at this issuer instead, by the plugin oidc-login of kubectl')
    .option('--oidc-client-id <id>', 'the client of that login')
    .addOption(durationOption('--ttl <duration>', 'how long the credential holds, such as 30m or 7d', '12h', '30d'))
    .option('--out <file>', 'write to this file (default: standard output)')
    .option('--merge <file>', 'merge into this kubeconfig and make it the current context')
    .option('--server <url>', 'URL of the proxy (default: as the proxy says it)')
    .option('--certificate-authority <file>', 'CA of the proxy (default: as the proxy says it)')
    .action(later(async () => (await import('./kubeconfig.ts')).kubeconfig));

  return program;
}

/** A command is loaded when it is asked for: the proxy alone takes longer to load than most of the others take to run. */
function later<Given extends unknown[]>(
  load: () => Promise<(...given: Given) => unknown>,
): (...given: Given) => Promise<void> {
  return async (...given) => {
    const command = await load();
    await command(...given);
  };
}

function serviceOption(): Option {
  return new Option(
    '--service <namespace/name:port>',
    `a Service of the proxy instead, such as ${PROXY_NAMESPACE}/kubeveil:443`,
  ).argParser(serviceName);
}

function output(): Option {
  return new Option('-o, --output <format>', 'format').choices(['table', 'json', 'yaml']).default('table');
}

/** What all have that keep collections of the API server. */
function keeping(command: Command, listen: string, state: string): Command {
  return command
    .addOption(
      new Option('--listen <HOST:PORT>', 'where clients connect')
        .argParser(listenAddress)
        .default(listenAddress(listen), listen),
    )
    .option('--state <folder>', 'what is its own to keep: what it goes on from after a restart', state)
    .option('--kubeconfig <file>', 'the API server, with its own account (default: the one of its pod)')
    .option('--client-ca <file>', 'CAs of client certificates (default: as the cluster publishes them)')
    .addOption(
      new Option('--log-level <level>', 'how much is logged')
        .choices(['error', 'warn', 'info', 'debug'])
        .default('info'),
    );
}

function versionOfPackage(): string {
  const document = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return text(readObject(document), 'version');
}
