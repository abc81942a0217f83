/** What a policy file says of the host, with nothing left out: the file, filled up by its profile. */
import type { PodSecurityLevel } from '../tenancy/host-guards.ts';
import type { PolicyFile } from './schema.ts';

type Section<Name extends 'pods' | 'services' | 'ingresses' | 'network' | 'containers'> = {
  readonly [Key in keyof PolicyFile[Name]]-?: Exclude<PolicyFile[Name][Key], undefined>;
};

export interface HostSettings {
  readonly podSecurity: PodSecurityLevel;
  readonly pods: Section<'pods'>;
  readonly services: Section<'services'>;
  readonly ingresses: Section<'ingresses'>;
  readonly network: Section<'network'>;
  readonly quota: Readonly<Record<string, string>>;
  readonly containers: Section<'containers'>;
}
