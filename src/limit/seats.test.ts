import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSeats, type SeatRequest, type Seats } from './seats.ts';

const NEVER = new AbortController().signal;
const REFUSAL = (why: string) => new Error(why);

function request(flow: string, user = 'u', more: Partial<SeatRequest> = {}): SeatRequest {
  return { flow, user: `${flow}/${user}`, ofFlow: 10, ofUser: 10, waiting: 100, ...more };
}

function seatsOf(many: number): Seats {
  return createSeats({ seats: () => many, most: many, patienceMs: 1_000 });
}

/** Takes a seat and tells in `order` when it has it. */
function seated(seats: Seats, order: string[], name: string, asked: SeatRequest): { leave(): void } {
  let release: (() => void) | undefined;
  const got = seats.take(asked, NEVER, REFUSAL);
  const take = (one: () => void) => {
    release = one;
    order.push(name);
  };
  if (got instanceof Promise) void got.then(take);
  else take(got);
  return { leave: () => release?.() };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('seats', () => {
  it('are given at once while there are some, and come back once', async () => {
    const seats = seatsOf(2);
    const order: string[] = [];
    const first = seated(seats, order, 'first', request('a'));
    seated(seats, order, 'second', request('a'));
    seated(seats, order, 'third', request('a'));
    seated(seats, order, 'fourth', request('a'));
    expect(order).toEqual(['first', 'second']);
    expect(seats.usage('a', 'nobody')).toMatchObject({ requests: 2, waiting: 2 });
    first.leave();
    first.leave();
    await settled();
    expect(order).toEqual(['first', 'second', 'third']);
    expect(seats.usage('a', 'nobody')).toMatchObject({ requests: 2, waiting: 1 });
  });

  it('go to the flow that has the fewest: a newcomer does not wait behind a crowd', async () => {
    const seats = seatsOf(4);
    const order: string[] = [];
    const greedy = Array.from({ length: 20 }, (_, index) => seated(seats, order, `greedy ${index}`, request('greedy')));
    // The first of a flow takes nobody's turn, and nobody has to end for it.
    seated(seats, order, 'modest', request('modest'));
    expect(order.at(-1)).toBe('modest');
    const second = seated(seats, order, 'second', request('modest'));
    expect(order).not.toContain('second');
    for (const one of greedy.slice(0, 2)) one.leave();
    await settled();
    expect(order.at(-1)).toBe('second');
    second.leave();
    await settled();
    expect(order.at(-1)).toBe('greedy 4');
  });

  it('are never more than twice as many as there may be, however many flows there are', () => {
    const seats = seatsOf(4);
    const order: string[] = [];
    for (let index = 0; index < 20; index++) seated(seats, order, `flow ${index}`, request(`flow ${index}`));
    expect(order).toHaveLength(8);
  });

  it('become fewer without anybody being sent away, and more when it is said so', async () => {
    let many = 3;
    const seats = createSeats({ seats: () => many, most: 3, patienceMs: 1_000 });
    const order: string[] = [];
    const all = Array.from({ length: 8 }, (_, index) => seated(seats, order, `${index}`, request('a')));
    many = 1;
    for (const one of all.slice(0, 2)) one.leave();
    await settled();
    expect(order).toEqual(['0', '1', '2']);
    all[2]?.leave();
    await settled();
    expect(order).toEqual(['0', '1', '2', '3']);
    many = 3;
    seats.more();
    await settled();
    expect(order).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  it('go to the user who has the fewest of its flow', async () => {
    const seats = seatsOf(100);
    const order: string[] = [];
    const limit = { ofFlow: 3 };
    const robots = Array.from({ length: 9 }, (_, index) =>
      seated(seats, order, `robot ${index}`, request('a', 'robot', limit)),
    );
    seated(seats, order, 'person', request('a', 'person', limit));
    robots[0]?.leave();
    await settled();
    expect(order.at(-1)).toBe('person');
  });

  it('are so many for one user, and others of the flow go on', async () => {
    const seats = seatsOf(100);
    const order: string[] = [];
    const limit = { ofUser: 2 };
    for (let index = 0; index < 4; index += 1) seated(seats, order, `robot ${index}`, request('a', 'robot', limit));
    seated(seats, order, 'person', request('a', 'person', limit));
    await settled();
    expect(order).toEqual(['robot 0', 'robot 1', 'person']);
  });

  it('keep the order of one user, also for who comes when a seat is free', async () => {
    const seats = seatsOf(1);
    const order: string[] = [];
    const first = seated(seats, order, 'first', request('a'));
    seated(seats, order, 'second', request('a'));
    first.leave();
    seated(seats, order, 'third', request('a'));
    await settled();
    expect(order).toEqual(['first', 'second']);
  });

  it('refuse who would stand behind too many', () => {
    const seats = seatsOf(1);
    const limit = { waiting: 1 };
    void seats.take(request('a', 'u', limit), NEVER, REFUSAL);
    void seats.take(request('a', 'u', limit), NEVER, REFUSAL);
    expect(() => seats.take(request('a', 'u', limit), NEVER, REFUSAL)).toThrow('full');
    expect(() => seats.take(request('b', 'u', limit), NEVER, REFUSAL)).not.toThrow();
  });
});

describe('a request that waits', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is refused when it has waited too long, and takes no seat then', async () => {
    const seats = seatsOf(1);
    const leave = seats.take(request('a'), NEVER, REFUSAL) as () => void;
    const late = seats.take(request('a'), NEVER, REFUSAL) as Promise<() => void>;
    const refused = expect(late).rejects.toThrow('late');
    await vi.advanceTimersByTimeAsync(1_000);
    await refused;
    leave();
    expect(seats.usage('a', 'nobody')).toMatchObject({ requests: 0, waiting: 0 });
  });

  it('leaves the queue when its client goes', async () => {
    const seats = seatsOf(1);
    const client = new AbortController();
    const leave = seats.take(request('a'), NEVER, REFUSAL) as () => void;
    const waiting = seats.take(request('a'), client.signal, REFUSAL) as Promise<() => void>;
    const refused = expect(waiting).rejects.toThrow('gone');
    client.abort(new Error('gone'));
    await refused;
    leave();
    expect(seats.usage('a', 'nobody')).toMatchObject({ requests: 0, waiting: 0 });
    expect(() => seats.take(request('a'), client.signal, REFUSAL)).toThrow('gone');
  });
});
