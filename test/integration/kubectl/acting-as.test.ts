/**
 * Who may be whom: a service account with some rights to impersonate asks the plain API server and a virtual cluster to be
 * others, and both answer alike, to the word, and say alike who it is then.
 */
import { describe, expect, inject, it } from 'vitest';
import { isObject, type JsonObject, type JsonValue } from '../../../src/k8s/types.ts';
import { type KubeObject, useProduct } from '../../support/as-tenant.ts';
import { binding, both, RBAC_GROUP, role, told } from '../../support/both-servers.ts';
import { jsonOf, type RawAnswer, requestOnce } from '../../support/http.ts';
import { eventually } from '../../support/processes.ts';

const { acme } = useProduct();
const plane = inject('controlPlane');
const NS = 'default';
const RBAC = `/apis/${RBAC_GROUP}/v1`;

describe('who may be whom', () => {
  const me = 'impostor';
  /** Of a user that nobody impersonates: a service account's token, on each side its own. */
  async function tokens(): Promise<[string, string]> {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: me } };
    await both(acme, { method: 'POST', path: `/api/v1/namespaces/${NS}/serviceaccounts`, json: account });
    const json = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const path = `/api/v1/namespaces/${NS}/serviceaccounts/${me}/token`;
    const made = await both(acme, { method: 'POST', path, json });
    return made.map((answer) => jsonOf<KubeObject>(answer).status.token as string) as [string, string];
  }

  it('is decided alike, and told alike of who one is then', async () => {
    const [plainToken, virtualToken] = await tokens();
    const rules = [
      { apiGroups: [''], resources: ['users'], resourceNames: ['bob'], verbs: ['impersonate'] },
      { apiGroups: [''], resources: ['groups'], resourceNames: ['ops', 'qa'], verbs: ['impersonate'] },
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] },
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['userextras/team'],
        resourceNames: ['red'],
        verbs: ['impersonate'],
      },
      { apiGroups: ['authentication.k8s.io'], resources: ['uids'], resourceNames: ['7'], verbs: ['impersonate'] },
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['users'],
        resourceNames: ['carol'],
        verbs: ['impersonate:user-info'],
      },
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['selfsubjectreviews'],
        verbs: ['impersonate-on:user-info:create'],
      },
    ];
    const subject = { kind: 'ServiceAccount', name: me, namespace: NS };
    const grant = {
      ...binding('ClusterRoleBinding', 'au-impostor', ['ClusterRole', 'au-impostor']),
      subjects: [subject],
    };
    await both(acme, { method: 'POST', path: `${RBAC}/clusterroles`, json: role('ClusterRole', 'au-impostor', rules) });
    await both(acme, { method: 'POST', path: `${RBAC}/clusterrolebindings`, json: grant });
    const ask = async (headers: Record<string, string | string[]>) => {
      const json = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const request = { method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', headers };
      const body = JSON.stringify(json);
      return await Promise.all([
        requestOnce({ ...request, body, token: plainToken, server: plane.server, caPem: plane.caPem }),
        acme.send(request.path, { ...request, body, token: virtualToken, certPem: undefined, keyPem: undefined }),
      ]);
    };
    const resourceAttributes = { verb: 'impersonate', resource: 'users', name: 'bob' };
    const spec = { user: `system:serviceaccount:${NS}:${me}`, resourceAttributes };
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    await eventually('the API server knows it', async () => {
      const asked = { method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews', json: review };
      return jsonOf<KubeObject>((await both(acme, asked))[0]).status.allowed;
    });
    const of = (parts: Record<string, string | string[]>) =>
      Object.fromEntries(Object.entries(parts).map(([part, value]) => [`impersonate-${part}`, value]));
    // Refusals first: of who succeeded by one mode the API server tells what that mode says next time.
    const cases = [
      { user: 'eve' },
      { user: 'bob', group: ['ops', 'system:masters'] },
      { user: 'bob', group: ['system:authenticated'] },
      { user: 'bob', uid: '8' },
      { user: 'bob', 'extra-team': ['red', 'blue'] },
      { user: 'carol', group: 'ops' },
      { user: 'system:serviceaccount:default:Default' },
      { user: 'system:node:n1' },
      { user: 'system:anonymous' },
      { user: 'bob' },
      { user: 'bob', group: ['ops', 'qa'] },
      { user: 'bob', uid: '7' },
      { user: 'bob', 'extra-team': 'red' },
      { user: 'bob', 'extra-Team': 'red', uid: '7', group: 'ops' },
      { user: 'system:serviceaccount:default:default' },
      { user: 'system:serviceaccount:default:default', group: 'ops' },
      { user: 'carol' },
    ];
    for (const one of cases) {
      const [plain, virtual] = await ask(of(one));
      expect(reviewed(virtual), JSON.stringify(one)).toEqual(reviewed(plain));
    }
    // The API server prints its own type here; that it refuses is what counts.
    for (const one of [{ group: 'ops' }, { uid: '7' }, { 'extra-team': 'red' }]) {
      expect(
        (await ask(of(one))).map(({ status }) => status),
        JSON.stringify(one),
      ).toEqual([400, 400]);
    }
    await both(acme, { method: 'DELETE', path: `${RBAC}/clusterrolebindings/au-impostor` });
    await both(acme, { method: 'DELETE', path: `${RBAC}/clusterroles/au-impostor` });
  });
});

/** Who one is, or what one was told. */
function reviewed(answer: RawAnswer): JsonValue {
  const object = jsonOf<JsonObject>(answer);
  return isObject(object['status']) ? { status: answer.status, is: object['status'] } : told(answer);
}
