/** The policy files that come with the package. */
import { fileURLToPath } from 'node:url';

export function defaultPolicies(): string {
  return fileURLToPath(new URL('../../policies', import.meta.url));
}
