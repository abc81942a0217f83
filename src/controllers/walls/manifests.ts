/**
 * The manifests of `deploy/` as objects: what is installed on the host, and what must be there before the proxy serves.
 * Files are read in the order of their numbers; only kinds that are listed here may stand in them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '../../codec/yaml-read.ts';
import { nameOf, namespaceOf } from '../../k8s/meta.ts';
import { isObject, type JsonObject } from '../../k8s/types.ts';

const DEPLOY_DIR = fileURLToPath(new URL('../../../deploy', import.meta.url));
/** 00 to 69: the host's side. Higher numbers are the proxy's own workload, for those who run it in the cluster. */
const HOST_FILE = /^[0-6]\d-[a-z0-9-]+\.yaml$/;

interface Place {
  readonly root: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

const KINDS: ReadonlyMap<string, Place> = new Map([
  ...places('v1', false, { Namespace: 'namespaces' }),
  ...places('v1', true, {
    ServiceAccount: 'serviceaccounts',
    ConfigMap: 'configmaps',
    LimitRange: 'limitranges',
    ResourceQuota: 'resourcequotas',
  }),
  ...places('apiextensions.k8s.io/v1', false, { CustomResourceDefinition: 'customresourcedefinitions' }),
  ...places('rbac.authorization.k8s.io/v1', false, {
    ClusterRole: 'clusterroles',
    ClusterRoleBinding: 'clusterrolebindings',
  }),
  ...places('rbac.authorization.k8s.io/v1', true, { Role: 'roles', RoleBinding: 'rolebindings' }),
  ...places('flowcontrol.apiserver.k8s.io/v1', false, {
    FlowSchema: 'flowschemas',
    PriorityLevelConfiguration: 'prioritylevelconfigurations',
  }),
  ...places('admissionregistration.k8s.io/v1', false, {
    ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
    ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
    MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
    MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings',
  }),
]);

export interface Manifest {
  /** `50-wall-namespaces.yaml` */
  readonly file: string;
  /** Where the object lives: `/api/v1/namespaces/kubeveil-system`. */
  readonly path: string;
  readonly object: JsonObject;
}

/** @throws {Error} which names the file and what is wrong with it */
export function readManifests(directory: string = DEPLOY_DIR): Manifest[] {
  const files = readdirSync(directory)
    .filter((file) => HOST_FILE.test(file))
    .sort();
  if (files.length === 0) throw new Error(`${directory} has no manifests; is the installation complete?`);
  return files.flatMap((file) => parseManifests(file, readFileSync(join(directory, file), 'utf8')));
}

export function parseManifests(file: string, text: string): Manifest[] {
  return text.split(/^---\s*$/m).map((document) => {
    let object: unknown;
    try {
      object = parseYaml(document);
    } catch (cause) {
      throw new Error(`${file} cannot be read`, { cause });
    }
    if (!isObject(object) || nameOf(object) === '') throw new Error(`${file} holds something that is no object`);
    return { file, object, path: pathOf(file, object) };
  });
}

function pathOf(file: string, object: JsonObject): string {
  const key = `${object['apiVersion']}/${object['kind']}`;
  const kind = KINDS.get(key);
  if (kind === undefined) throw new Error(`${file} holds a ${key}, which is not a kind that is installed on the host`);
  const namespace = namespaceOf(object);
  if ((namespace !== '') !== kind.namespaced) {
    throw new Error(`${file}: ${key} ${nameOf(object)} must ${kind.namespaced ? '' : 'not '}have a namespace`);
  }
  const within = namespace === '' ? '' : `/namespaces/${namespace}`;
  return `${kind.root}${within}/${kind.resource}/${nameOf(object)}`;
}

function places(apiVersion: string, namespaced: boolean, resources: Record<string, string>): Array<[string, Place]> {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return Object.entries(resources).map(([kind, resource]) => [`${apiVersion}/${kind}`, { root, resource, namespaced }]);
}
