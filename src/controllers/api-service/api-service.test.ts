import { describe, expect, it } from 'vitest';
import { holds } from './api-service-controller.ts';
import { API_SERVICE_PARTS } from './api-service-objects.ts';

const advertised = { addresses: ['192.0.2.5', '192.0.2.6'], port: 8443 };
const [service, endpoints, slice] = API_SERVICE_PARTS;

describe('the Service kubernetes', () => {
  it('stands also where nothing is advertised, and leads nowhere then', () => {
    expect(service?.wanted(undefined)).toMatchObject({ spec: { ports: [{ name: 'https', port: 443 }] } });
    expect(service?.wanted(advertised)).toMatchObject({ spec: { ports: [{ port: 443, targetPort: 8443 }] } });
    expect(endpoints?.wanted(undefined)).toBeUndefined();
    expect(slice?.wanted(undefined)).toBeUndefined();
  });

  it('leads to every address that is advertised', () => {
    expect(endpoints?.wanted(advertised)).toMatchObject({
      subsets: [{ addresses: [{ ip: '192.0.2.5' }, { ip: '192.0.2.6' }], ports: [{ port: 8443 }] }],
    });
    expect(slice?.wanted(advertised)).toMatchObject({
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.5'] }, { addresses: ['192.0.2.6'] }],
      ports: [{ port: 8443 }],
    });
    expect(slice?.wanted({ addresses: ['2001:db8::5'], port: 1 })).toMatchObject({ addressType: 'IPv6' });
  });
});

describe('what is stored', () => {
  const wanted = { spec: { type: 'ClusterIP', ports: [{ port: 443 }] } };

  it('is right when it says more', () => {
    expect(
      holds({ metadata: {}, spec: { clusterIP: 'x', type: 'ClusterIP', ports: [{ port: 443, x: 1 }] } }, wanted),
    ).toBe(true);
  });

  it.each([
    undefined,
    { spec: { type: 'NodePort', ports: [{ port: 443 }] } },
    { spec: { type: 'ClusterIP', ports: [{ port: 444 }] } },
    { spec: { type: 'ClusterIP', ports: [{ port: 443 }, { port: 444 }] } },
    { spec: { type: 'ClusterIP', ports: {} } },
    { spec: 'ClusterIP' },
  ])('is wrong as %j', (object) => {
    expect(holds(object, wanted)).toBe(false);
  });
});
