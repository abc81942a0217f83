import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Breaker } from '../webhooks/breaker.ts';
import { type QuestionTime, startQuestionTime } from './relay-time.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function world() {
  const breaker = new Breaker(Date.now, { timeouts: 1, openMs: 10_000 });
  const opened: string[] = [];
  const ask = (tenant = 'a', gone = new AbortController().signal): QuestionTime =>
    startQuestionTime({ breaker, tenant, gone, longMs: 1_500, shortMs: 100, onOpen: () => opened.push(tenant) });
  const take = (question: QuestionTime, ms: number): void => {
    vi.advanceTimersByTime(ms);
    question.done();
  };
  return { ask, take, opened };
}

describe('a tenant', () => {
  it('has its time while its questions end in time', () => {
    const { ask, take, opened } = world();
    take(ask(), 1_400);
    expect(ask().isLong).toBe(true);
    expect(opened).toEqual([]);
  });

  it('whose question runs out has little for a while, and nobody else has', () => {
    const { ask, take } = world();
    take(ask(), 1_500);
    const next = ask();
    vi.advanceTimersByTime(100);
    expect([next.isLong, next.signal.aborted, ask('b').isLong]).toEqual([false, true, true]);
  });

  it('has it again after a while, however many run out meanwhile of the little there is', () => {
    const { ask, take } = world();
    take(ask(), 1_500);
    for (let time = 0; time < 100; time += 1) take(ask(), 100);
    const trial = ask();
    expect(trial.isLong).toBe(true);
    take(trial, 1_400);
    expect(ask().isLong).toBe(true);
  });

  it('keeps its time when the host hangs up', () => {
    const { ask, take, opened } = world();
    const host = new AbortController();
    const question = ask('a', host.signal);
    host.abort(new Error('gone'));
    take(question, 100);
    expect(ask().isLong).toBe(true);
    expect(opened).toEqual([]);
  });

  it('has little also when the host hangs up after that', () => {
    const { ask, take } = world();
    const host = new AbortController();
    const question = ask('a', host.signal);
    vi.advanceTimersByTime(1_500);
    host.abort(new Error('gone'));
    take(question, 100);
    expect(ask().isLong).toBe(false);
  });

  it('has little when a question runs out, though another one ends in time after it', () => {
    const { ask, take } = world();
    const slow = ask();
    vi.advanceTimersByTime(200);
    const other = ask();
    take(slow, 1_300);
    take(other, 100);
    expect(ask().isLong).toBe(false);
  });
});

it('it is told once that a tenant has little time, and again after it had its time', () => {
  const { ask, take, opened } = world();
  take(ask(), 1_500);
  vi.advanceTimersByTime(10_000);
  take(ask(), 1_500);
  expect(opened).toEqual(['a']);
  vi.advanceTimersByTime(10_000);
  take(ask(), 100);
  take(ask(), 1_500);
  expect(opened).toEqual(['a', 'a']);
});
