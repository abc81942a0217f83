import { describe, expect, it } from 'vitest';
import { createLog, logged, logger } from './log.ts';

function lines(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const written: string[] = [];
  write(createLog({ write: (line: string) => void written.push(line) }));
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the log', () => {
  it('writes one JSON object a line, whatever is in it', () => {
    const [line, ...more] = lines((log) => log.info({ user: 'a\n{"level":"fatal"}\u001b[31m' }, 'request'));
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 'info', user: 'a\n{"level":"fatal"}\u001b[31m', msg: 'request' });
    expect(line?.['time']).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it('takes chosen fields of an error only: a parser’s carries the raw request', () => {
    const cause = Object.assign(new Error('inner'), { code: 'E_INNER' });
    const error = Object.assign(new Error('outer', { cause }), { rawPacket: Buffer.from('Bearer hunter2') });
    const [line] = lines((log) => log.error({ err: error, cause: 'plain' }, 'failed'));
    expect(line).toMatchObject({
      err: { type: 'Error', message: 'outer', cause: { message: 'inner', code: 'E_INNER' } },
      cause: 'plain',
    });
    expect(JSON.stringify(line)).not.toMatch(/hunter2|rawPacket|104,117/);
  });

  it('ends with an error that is its own cause', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(lines((log) => log.error({ err: error }, 'failed'))).toHaveLength(1);
  });

  it('blanks what is called a secret', () => {
    const [line] = lines((log) => log.info({ token: 'hunter2', headers: { authorization: 'hunter2' } }, 'x'));
    expect(JSON.stringify(line)).not.toContain('hunter2');
  });

  it('has one logger for a part', () => {
    expect(logger('a-part')).toBe(logger('a-part'));
    expect(logger('a-part')).not.toBe(logger('another'));
  });
});

describe('logged', () => {
  it.each([
    [undefined, undefined],
    ['short', 'short'],
    ['x'.repeat(300), `${'x'.repeat(256)}...`],
  ])('%.10s', (text, expected) => {
    expect(logged(text)).toBe(expected);
  });
});
