/**
 * CertificateSigningRequests of a tenant: who asks is set by the server, approving and signing take rights on the signer,
 * and what the built-in signer gives authenticates in this tenant alone.
 */
import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type KubeObject, type TenantClient, useProduct } from '../../support/as-tenant.ts';
import { certificateRequest } from '../../support/certificate-requests.ts';
import { requestOnce } from '../../support/http.ts';
import { eventually } from '../../support/processes.ts';

const { acme, globex } = useProduct();
const CLIENT = 'kubernetes.io/kube-apiserver-client';
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

interface Asked {
  readonly subject?: string;
  readonly signer?: string;
  readonly usages?: string[];
  readonly spec?: object;
}

async function manifest(name: string, { subject = 'CN=ann, O=annual', signer = CLIENT, ...asked }: Asked = {}) {
  const { pem, keyPem } = await certificateRequest(subject);
  const body = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: signer,
      usages: asked.usages ?? ['client auth'],
      ...asked.spec,
    },
  };
  return { body, keyPem };
}

function post(tenant: TenantClient, body: object, headers: Record<string, string> = {}, path = REQUESTS) {
  return tenant.send(path, { method: 'POST', body: JSON.stringify(body), headers });
}

function read(tenant: TenantClient, name: string): Promise<KubeObject> {
  return tenant.json(`${REQUESTS}/${name}`);
}

async function signed(tenant: TenantClient, name: string): Promise<string> {
  let certificate = '';
  await eventually(`${name} is signed`, async () => {
    certificate = (await read(tenant, name)).status?.certificate ?? '';
    return certificate !== '';
  });
  return Buffer.from(certificate, 'base64').toString();
}

/** As who holds a certificate of their own. */
function withCertificate(certPem: string, keyPem: string, path: string) {
  const { server, caPem } = inject('product');
  return requestOnce({ server, caPem, certPem, keyPem, path });
}

beforeAll(async () => {
  await acme.kubectl('create clusterrole csr-writers --verb=create,get --resource=certificatesigningrequests');
  await acme.kubectl(
    'create clusterrolebinding csr-writers --clusterrole=csr-writers --user=csr-writer --user=csr-approver',
  );
  await acme.kubectl(
    'create clusterrole csr-approvers --verb=update,patch --resource=certificatesigningrequests/approval,certificatesigningrequests/status',
  );
  await acme.kubectl('create clusterrolebinding csr-approvers --clusterrole=csr-approvers --user=csr-approver');
});

describe('a certificate by kubectl', () => {
  it('is asked for, approved, signed, and authenticates as its user in this tenant alone', async () => {
    const { body, keyPem } = await manifest('csr-ann', { spec: { expirationSeconds: 3600 } });
    await acme.kubectl('create -f -', { stdin: JSON.stringify(body) });
    expect(await acme.kubectl('get csr csr-ann --no-headers')).toMatch(
      /^csr-ann\s+\d+s\s+kubernetes\.io\/kube-apiserver-client\s+admin\s+60m\s+Pending$/,
    );
    await acme.kubectl('certificate approve csr-ann');
    const certPem = await signed(acme, 'csr-ann');
    expect(await acme.kubectl('get csr csr-ann --no-headers')).toContain('Approved,Issued');
    expect(await acme.kubectl('describe csr csr-ann')).toContain('Common Name:    ann');
    const certificate = new X509Certificate(certPem);
    expect(certificate.issuer).toContain('kubeveil tenant acme');
    expect(certificate.validToDate.getTime() - Date.now()).toBeLessThanOrEqual(3_600_000);

    const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { server, caPem } = inject('product');
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const asked = { server, caPem, certPem, keyPem, path: whoami, method: 'POST', body: JSON.stringify(review) };
    const answer = await requestOnce(asked);
    expect(JSON.parse(answer.text).status.userInfo).toMatchObject({
      username: 'ann',
      groups: ['annual', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': [
          `X509SHA256=${certificate.fingerprint256.replaceAll(':', '').toLowerCase()}`,
        ],
      },
    });
    expect((await withCertificate(certPem, keyPem, '/api/v1/namespaces/default/pods')).status).toBe(403);
    expect((await withCertificate(certPem, keyPem, '/tenants/globex/api/v1/namespaces')).status).toBe(403);
    // Nothing to the host, whose API server knows no such CA.
    const host = inject('controlPlane');
    const direct = { server: host.server, caPem: host.caPem, certPem, keyPem, path: '/api/v1/namespaces' };
    const status = await requestOnce(direct).then(
      (seen) => seen.status,
      () => 401,
    );
    expect(status).toBe(401);
  });

  it('is not to be had when it was denied', async () => {
    const { body } = await manifest('csr-denied');
    await acme.kubectl('create -f -', { stdin: JSON.stringify(body) });
    await acme.kubectl('certificate deny csr-denied');
    expect(await acme.refused('certificate approve csr-denied')).toContain('is already Denied');
    const { status } = await read(acme, 'csr-denied');
    expect(status.conditions).toMatchObject([{ type: 'Denied', status: 'True', reason: 'KubectlDeny' }]);
    expect(status.certificate).toBeUndefined();
  });

  it('for what no client is fails, and says why', async () => {
    const { body } = await manifest('csr-usage', { usages: ['client auth', 'server auth'] });
    await acme.kubectl('create -f -', { stdin: JSON.stringify(body) });
    await acme.kubectl('certificate approve csr-usage');
    await eventually('it failed', async () => (await read(acme, 'csr-usage')).status.conditions.length > 1);
    const { status } = await read(acme, 'csr-usage');
    expect(status.conditions[1]).toMatchObject({
      type: 'Failed',
      message: 'invalid usage for client certificate: server auth',
    });
  });
});

describe('who asks', () => {
  it('is whom the server knows, whatever the request says, and stays so', async () => {
    const { body } = await manifest('csr-who', {
      spec: { username: 'root', uid: '0', groups: ['system:masters'], extra: { a: ['b'] } },
    });
    const made = await post(acme, body, { 'impersonate-user': 'csr-writer', 'impersonate-group': 'writers' });
    expect(made.status, made.text).toBe(201);
    const { spec } = JSON.parse(made.text);
    expect(spec).toMatchObject({ username: 'csr-writer', groups: ['writers', 'system:authenticated'] });
    expect(spec.uid).toBeUndefined();
    expect(spec.extra ?? {}).toEqual({});
    const patch = JSON.stringify({
      spec: { username: 'root', signerName: 'example.com/other' },
      metadata: { labels: { a: 'b' } },
    });
    const headers = { 'content-type': 'application/merge-patch+json' };
    const patched = await acme.send(`${REQUESTS}/csr-who`, { method: 'PATCH', body: patch, headers });
    expect(patched.status, patched.text).toBe(200);
    expect(JSON.parse(patched.text)).toMatchObject({ spec, metadata: { labels: { a: 'b' } } });
  });

  it('is set by apply, too, and the status is not theirs to set', async () => {
    const { body } = await manifest('csr-apply', { spec: { username: 'root', groups: ['system:masters'] } });
    const conditions = [{ type: 'Approved', status: 'True', reason: 'me' }];
    const apply = (more: object) =>
      acme.send(`${REQUESTS}/csr-apply?fieldManager=me`, {
        method: 'PATCH',
        body: JSON.stringify({ ...body, ...more }),
        headers: { 'content-type': 'application/apply-patch+yaml' },
      });
    const made = await apply({ status: { conditions } });
    expect(made.status, made.text).toBe(201);
    expect(JSON.parse(made.text).spec).toMatchObject({ username: 'admin' });
    expect((await read(acme, 'csr-apply')).status?.conditions ?? []).toEqual([]);
    const again = await apply({ spec: { ...body.spec, signerName: 'example.com/other' } });
    expect(again.status, again.text).toBe(200);
    expect(JSON.parse(again.text).spec.signerName).toBe(CLIENT);
  });

  it('cannot ask to be of the administrators', async () => {
    const { body } = await manifest('csr-masters', { subject: 'CN=ann, O=system:masters' });
    const refused = await post(acme, body);
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.text).message).toBe(
      `certificatesigningrequests.certificates.k8s.io "csr-masters" is forbidden: use of ${CLIENT} signer with system:masters group is not allowed`,
    );
    const other = await manifest('csr-masters', { subject: 'CN=ann, O=system:masters', signer: 'example.com/signer' });
    expect((await post(acme, other.body)).status).toBe(201);
  });
});

describe('to approve and to sign', () => {
  const as = { 'impersonate-user': 'csr-approver' };

  async function put(name: string, subresource: string, change: (object: KubeObject) => void) {
    const object = await read(acme, name);
    change(object);
    return await acme.send(`${REQUESTS}/${name}/${subresource}`, {
      method: 'PUT',
      body: JSON.stringify(object),
      headers: as,
    });
  }
  async function grant(name: string, verb: string, signer: string): Promise<void> {
    const rules = [
      { apiGroups: ['certificates.k8s.io'], resources: ['signers'], resourceNames: [signer], verbs: [verb] },
    ];
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
    await acme.kubectl('create -f -', { stdin: JSON.stringify(role) });
  }
  const approve = (object: KubeObject) => {
    object.status = { conditions: [{ type: 'Approved', status: 'True', reason: 'test', message: 'ok' }] };
  };

  it('take a right on the signer, or on all of its domain', async () => {
    const signer = 'csr.example.com/signer';
    const { body } = await manifest('csr-signer', { signer });
    expect((await post(acme, body)).status).toBe(201);
    const refused = await put('csr-signer', 'approval', approve);
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.text).message).toBe(
      `certificatesigningrequests.certificates.k8s.io "csr-signer" is forbidden: user not permitted to approve requests with signerName "${signer}"`,
    );
    await grant('csr-a', 'approve', signer);
    await acme.kubectl('create clusterrolebinding csr-a --clusterrole=csr-a --user=csr-approver');
    const approved = await put('csr-signer', 'approval', approve);
    expect(approved.status, approved.text).toBe(200);
    expect(JSON.parse(approved.text).status.conditions[0]).toMatchObject({
      type: 'Approved',
      lastUpdateTime: expect.stringMatching(/Z$/),
      lastTransitionTime: expect.stringMatching(/Z$/),
    });

    const { certPem } = inject('product').acme;
    const sign = (object: KubeObject) => {
      object.status.certificate = Buffer.from(certPem).toString('base64');
    };
    const unsigned = await put('csr-signer', 'status', sign);
    expect(unsigned.status).toBe(403);
    expect(JSON.parse(unsigned.text).message).toContain(
      `user not permitted to sign requests with signerName "${signer}"`,
    );
    await grant('csr-s', 'sign', 'csr.example.com/*');
    await acme.kubectl('create clusterrolebinding csr-s --clusterrole=csr-s --user=csr-approver');
    expect((await put('csr-signer', 'status', sign)).status).toBe(200);
    expect((await read(acme, 'csr-signer')).status.certificate).toBe(Buffer.from(certPem).toString('base64'));
  });

  it('are two things: an approval sets no certificate, and a status approves nothing', async () => {
    const { body } = await manifest('csr-two', { signer: 'csr.example.com/signer' });
    expect((await post(acme, body)).status).toBe(201);
    const slipped = await acme.send(`${REQUESTS}/csr-two/status`, {
      method: 'PATCH',
      body: JSON.stringify({ status: { conditions: [{ type: 'Approved', status: 'True' }] } }),
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(slipped.status).toBe(422);
    expect(JSON.parse(slipped.text).message).toContain('updates may not add a condition of type "Approved"');
    const both = await acme.send(`${REQUESTS}/csr-two/approval`, {
      method: 'PATCH',
      body: JSON.stringify({
        metadata: { annotations: { approved: 'yes' } },
        spec: { signerName: 'example.com/other' },
        status: { certificate: 'AAAA', conditions: [{ type: 'Approved', status: 'True' }] },
      }),
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(both.status, both.text).toBe(200);
    const approved = JSON.parse(both.text);
    expect(approved.status.certificate).toBeUndefined();
    expect(approved.metadata.annotations).toEqual({ approved: 'yes' });
    expect(approved.spec.signerName).toBe('csr.example.com/signer');
  });

  it('are done by apply as well', async () => {
    const { body } = await manifest('csr-applied');
    expect((await post(acme, body)).status).toBe(201);
    const applied = (subresource: string, status: object) =>
      acme.send(`${REQUESTS}/csr-applied/${subresource}?fieldManager=applier`, {
        method: 'PATCH',
        body: JSON.stringify({ ...body, spec: undefined, status }),
        headers: { 'content-type': 'application/apply-patch+yaml' },
      });
    const slipped = await applied('status', { conditions: [{ type: 'Approved', status: 'True' }] });
    expect(slipped.status).toBe(422);
    const answer = await applied('approval', {
      certificate: 'AAAA',
      conditions: [{ type: 'Approved', status: 'True' }],
    });
    expect(answer.status, answer.text).toBe(200);
    await signed(acme, 'csr-applied');
  });
});

describe('the requests of two tenants', () => {
  it('never meet, though they have the same names', async () => {
    const [one, two] = [await manifest('csr-same'), await manifest('csr-same')];
    expect((await post(acme, one.body)).status).toBe(201);
    expect((await post(globex, two.body)).status).toBe(201);
    await acme.kubectl('certificate approve csr-same');
    const certPem = await signed(acme, 'csr-same');
    expect(new X509Certificate(certPem).issuer).toContain('kubeveil tenant acme');
    const other = await read(globex, 'csr-same');
    expect(other.spec.request).toBe(two.body.spec.request);
    expect(other.status?.conditions ?? []).toEqual([]);
    const listed = await globex.json(`${REQUESTS}?fieldSelector=spec.signerName%3D${encodeURIComponent(CLIENT)}`);
    expect(listed.items.map(({ metadata }: KubeObject) => metadata.name)).toEqual(['csr-same']);
  });
});
