import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audienceToTenant, audienceToUpstream } from './audiences.ts';

const ACME = { uid: 'u-1' };
const OWN = 'kubeveil.dev/u-1';

describe('audiences', () => {
  it.each([
    ['vault', `${OWN}/vault`],
    ['https://vault.example.com', `${OWN}/https://vault.example.com`],
    ['', `${OWN}/`],
    ['kubeveil.dev/u-2', `${OWN}/kubeveil.dev/u-2`],
    ['kubeveil.dev/u-11', `${OWN}/kubeveil.dev/u-11`],
  ])('%s comes back from where it is kept', (audience, upstream) => {
    expect(audienceToUpstream(ACME, audience)).toBe(upstream);
    expect(audienceToTenant(ACME, upstream)).toBe(audience);
  });

  it.each(['https://kubernetes.default.svc.cluster.local', 'https://kubernetes.default.svc', 'api', OWN])(
    'of the API are one: %s',
    (audience) => {
      expect(audienceToUpstream(ACME, audience)).toBe(OWN);
      expect(audienceToTenant(ACME, OWN)).toBe(OWN);
    },
  );

  it('as a token says them are the same ones', () => {
    expect(audienceToUpstream(ACME, `${OWN}/vault`)).toBe(`${OWN}/vault`);
  });

  it('are always the tenant’s own, or below it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('api', OWN, `${OWN}x`, 'kubeveil.dev/u-2')), (audience) => {
        const upstream = audienceToUpstream(ACME, audience);
        expect(upstream === OWN || upstream.startsWith(`${OWN}/`)).toBe(true);
      }),
    );
  });
});
