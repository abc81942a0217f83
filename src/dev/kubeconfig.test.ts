import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderKubeconfig } from './kubeconfig.ts';

describe('renderKubeconfig', () => {
  it('holds one context, which is the current one, with everything inside', () => {
    const text = renderKubeconfig({
      server: 'https://127.0.0.1:6443',
      caPem: 'the ca',
      user: 'ann',
      client: { certPem: 'the certificate', keyPem: 'the key' },
    });
    const base64 = (plain: string) => Buffer.from(plain).toString('base64');
    expect(parse(text)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'kubeveil-host',
          cluster: { server: 'https://127.0.0.1:6443', 'certificate-authority-data': base64('the ca') },
        },
      ],
      users: [
        {
          name: 'ann',
          user: { 'client-certificate-data': base64('the certificate'), 'client-key-data': base64('the key') },
        },
      ],
      contexts: [{ name: 'ann@kubeveil-host', context: { cluster: 'kubeveil-host', user: 'ann' } }],
      'current-context': 'ann@kubeveil-host',
    });
  });
});
