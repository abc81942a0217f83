/** Resources as people write them, and as an adapter of metrics names them: `cronjobs.batch`, and `pods` of the core group. */
import type { ResourceKey } from './kind.ts';
import { resourceKey } from './row.ts';

/** `cronjobs.batch` -> group `batch`. */
export function splitResource(text: string): { group: string; resource: string } {
  const dot = text.indexOf('.');
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

/** `cronjobs.batch` -> `batch/cronjobs` */
export function keyOfResource(text: string): ResourceKey {
  const { group, resource } = splitResource(text);
  return resourceKey(group, resource);
}
