/**
 * Builds protobuf bytes by hand for tests, apart from the codec's own writer, so that it can judge the codec.
 */

/** A varint of any non-negative integer. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** A field: a number becomes a varint, text and bytes become length-delimited. */
export function field(number: number, value: number | bigint | string | Uint8Array): Buffer {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return Buffer.concat([varint(number << 3), varint(value)]);
  }
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

/** An object in its envelope, as Go writes it. */
export function enveloped(apiVersion: string, kind: string, ...fields: Uint8Array[]): Buffer {
  const typeMeta = Buffer.concat([field(1, apiVersion), field(2, kind)]);
  const raw = Buffer.concat(fields);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, typeMeta), field(2, raw), field(3, ''), field(4, '')]);
}

/** A stream of numbers in [0, below), the same for the same seed. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** The bytes cut short, or with a few of them changed, removed or added. */
export function mutate(bytes: Uint8Array, random: (below: number) => number): Buffer {
  const out = Buffer.from(bytes);
  if (random(5) === 0) {
    return out.subarray(0, random(out.length));
  }
  let changed = out;
  for (let i = random(2); i >= 0; i--) {
    const at = random(changed.length);
    const kind = random(8);
    if (kind === 0) {
      changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at + 1 + random(4))]);
    } else if (kind === 1) {
      changed = Buffer.concat([changed.subarray(0, at), varint(random(2 ** 31)), changed.subarray(at)]);
    } else if (changed.length > 0) {
      changed[at] = kind === 2 ? random(256) : (changed[at] as number) ^ (1 << random(4));
    }
  }
  return changed;
}
