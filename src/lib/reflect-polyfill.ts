/**
 * The three `Reflect` metadata functions that tsyringe, the injector inside @peculiar/x509, insists on finding.
 * Import it before @peculiar/x509. An implementation that is already there is left alone.
 * @see https://github.com/PeculiarVentures/x509#-reflect-polyfill-required
 */

type Key = string | symbol | undefined;

interface MetadataReflect {
  getMetadata?: (name: unknown, target: object, key?: Key) => unknown;
  getOwnMetadata?: (name: unknown, target: object, key?: Key) => unknown;
  defineMetadata?: (name: unknown, value: unknown, target: object, key?: Key) => void;
}

const metadataReflect = Reflect as typeof Reflect & MetadataReflect;

if (metadataReflect.getMetadata === undefined) {
  const entries = new WeakMap<object, Map<Key, Map<unknown, unknown>>>();
  const own = (name: unknown, target: object, key?: Key): unknown => entries.get(target)?.get(key)?.get(name);

  metadataReflect.getOwnMetadata = own;
  metadataReflect.getMetadata = (name, target, key) => {
    for (let at: object | null = target; at !== null; at = Reflect.getPrototypeOf(at)) {
      const value = own(name, at, key);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  metadataReflect.defineMetadata = (name, value, target, key) => {
    const byKey = entries.get(target) ?? new Map<Key, Map<unknown, unknown>>();
    entries.set(target, byKey);
    const byName = byKey.get(key) ?? new Map<unknown, unknown>();
    byKey.set(key, byName);
    byName.set(name, value);
  };
}
