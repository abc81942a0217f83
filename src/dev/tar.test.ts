import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readTarGz } from './tar.ts';

interface Entry {
  readonly name: string;
  readonly content: string;
  readonly prefix?: string;
  readonly type?: string;
}

/** A ustar archive of these entries, without checksums (the reader takes the archive's own SHA-256 on trust). */
function tarGz(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ name, content, prefix = '', type = '0' }) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(Buffer.byteLength(content).toString(8).padStart(11, '0'), 124);
    header.write(type, 156);
    header.write('ustar\0' + '00', 257);
    header.write(prefix, 345);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512);
    body.write(content);
    return [header, body];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

describe('readTarGz', () => {
  const archive = tarGz([
    { name: 'etcd-v1/', content: '', type: '5' },
    { name: 'etcd-v1/README', content: 'x'.repeat(700) },
    { name: 'etcd-v1/etcd', content: 'target', type: '2' },
    { name: 'etcd-v1/etcd', content: 'the program' },
    { name: 'file', content: 'deep', prefix: 'a/long/path' },
  ]);

  it.each([
    { path: 'etcd-v1/etcd', content: 'the program' },
    { path: 'a/long/path/file', content: 'deep' },
    { path: 'file', content: undefined },
    { path: 'etcd', content: undefined },
    { path: 'etcd-v1/', content: undefined },
  ])('$path: $content', ({ path, content }) => {
    expect(readTarGz(archive, path)?.toString()).toBe(content);
  });

  it('refuses an archive that is cut short, and reads the whole one', () => {
    const whole = tarGz([{ name: 'a', content: 'abc' }]);
    expect(readTarGz(whole, 'a')?.toString()).toBe('abc');
    const header = Buffer.alloc(512);
    header.write('a', 0);
    header.write('00000001000', 124);
    expect(() => readTarGz(gzipSync(header), 'a')).toThrow(/cut short/);
    header.write('not octal!', 124);
    expect(() => readTarGz(gzipSync(header), 'a')).toThrow(/no readable size/);
  });
});
