import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSeats, type Leave, type SeatRequest, type Seats } from './seats.ts';

const NEVER = new AbortController().signal;
const REFUSAL = (why: string) => new Error(why);

function request(flow: string, user = 'u', more: Partial<SeatRequest> = {}): SeatRequest {
  return { flow, user: `${flow}/${user}`, ofFlow: 10, ofUser: 10, waiting: 100, ...more };
}

function seatsOf(many: number, patienceMs = 600_000): Seats {
  return createSeats({ seats: () => many, most: many, patienceMs });
}

/** Takes a seat and tells in `order` when it has it. */
function seated(
  seats: Seats,
  order: string[],
  name: string,
  asked: SeatRequest,
): { leave(cost?: number): void; got: Leave | Promise<Leave> } {
  let release: Leave | undefined;
  const got = seats.take(asked, NEVER, REFUSAL);
  const take = (one: Leave) => {
    release = one;
    order.push(name);
  };
  if (got instanceof Promise) void got.then(take, () => {});
  else take(got);
  return { leave: (cost) => release?.(cost), got };
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
    expect(seats.usage('a', 'nobody')).toMatchObject({ seats: 2, waiting: 2 });
    first.leave();
    first.leave();
    await settled();
    expect(order).toEqual(['first', 'second', 'third']);
    expect(seats.usage('a', 'nobody')).toMatchObject({ seats: 2, waiting: 1 });
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

describe('a request that is worth several seats', () => {
  /**
   * Two of whom always some wait; whoever has sat for longest leaves next.
   * @returns how many of the second were served for each of the first
   */
  async function shares(worth: readonly [number, number], of: (at: number) => SeatRequest): Promise<number> {
    const seats = seatsOf(40);
    const order: string[] = [];
    const all = new Map<string, ReturnType<typeof seated>>();
    for (let turn = 0; turn < 800; turn++) {
      for (const at of [0, 1]) all.set(`${at} ${turn}`, seated(seats, order, `${at} ${turn}`, of(at)));
    }
    for (let turn = 0; turn < 600; turn++) {
      const name = order[turn] ?? '';
      all.get(name)?.leave(worth[name.startsWith('0') ? 0 : 1]);
      await settled();
    }
    const served = order.slice(200, 600);
    const first = served.filter((name) => name.startsWith('0')).length;
    return (served.length - first) / first;
  }
  const many = { ofFlow: 100, ofUser: 100, waiting: 2_000 };
  const asFlows = (at: number) => request(at === 0 ? 'large' : 'small', 'u', many);
  const asUsers = (at: number) => request('one', at === 0 ? 'large' : 'small', many);

  it('is served one for one with others that are worth the same', async () => {
    expect(await shares([1, 1], asFlows)).toBeCloseTo(1, 1);
    expect(await shares([4, 4], asFlows)).toBeCloseTo(1, 1);
  });

  it('is served as much less often beside others that are worth one', async () => {
    for (const of of [asFlows, asUsers]) {
      const ratio = await shares([4, 1], of);
      expect(ratio).toBeGreaterThan(3.5);
      expect(ratio).toBeLessThan(4.5);
    }
  });

  it('takes ten at most', async () => {
    expect(await shares([1_000, 1], asFlows)).toBeLessThan(11);
  });

  it('takes as many as the last ones were worth, of its user or of whom its flow has', async () => {
    const seats = seatsOf(12);
    const order: string[] = [];
    const limit = { ofFlow: 100, ofUser: 100 };
    const wait = (user: string, at: number) => seated(seats, order, `${user} ${at}`, request('a', user, limit));
    const stays = wait('stays', 0);
    wait('robot', 0).leave(9);
    expect(order).toHaveLength(2);
    // A new one is taken for what others of the flow are: three. One seat and four of these are more than there are.
    const robots = Array.from({ length: 10 }, (_, at) => wait('new', at));
    expect(order.slice(2)).toEqual(['new 0', 'new 1', 'new 2', 'new 3']);
    expect(seats.usage('a', 'a/new')).toEqual({ seats: 13, seatsOfUser: 12, waiting: 6 });
    for (const one of robots) {
      one.leave(1);
      await settled();
    }
    expect(order).toHaveLength(12);
    Array.from({ length: 20 }, (_, at) => wait('again', at));
    expect(order.slice(12)).toHaveLength(11);
    stays.leave();
  });

  it('is within the limits of its flow and its user', () => {
    const seats = seatsOf(100);
    const order: string[] = [];
    const limit = { ofFlow: 10, ofUser: 5 };
    const wait = (user: string) => seated(seats, order, user, request('a', user, limit));
    wait('stays');
    for (let at = 0; at < 30; at++) wait('robot').leave(3);
    order.length = 0;
    for (let at = 0; at < 4; at++) for (const user of ['robot', 'other', 'third']) wait(user);
    // One and three and three and three; of each user less than five before the last.
    expect(order).toEqual(['robot', 'other', 'third']);
  });
});

describe('a request that waits', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is refused when it has waited too long, and takes no seat then', async () => {
    const seats = seatsOf(1, 1_000);
    const leave = seats.take(request('a'), NEVER, REFUSAL) as () => void;
    const late = seats.take(request('a'), NEVER, REFUSAL) as Promise<() => void>;
    const refused = expect(late).rejects.toThrow('late');
    await vi.advanceTimersByTimeAsync(1_000);
    await refused;
    leave();
    expect(seats.usage('a', 'nobody')).toMatchObject({ seats: 0, waiting: 0 });
  });

  it('gives way to others of its flow where too many wait and its user has the most of them, the last first', async () => {
    const seats = seatsOf(1);
    const limit = { waiting: 4 };
    const order: string[] = [];
    const robots = Array.from({ length: 5 }, (_, at) =>
      seated(seats, order, `robot ${at}`, request('a', 'robot', limit)),
    );
    expect(() => seats.take(request('a', 'robot', limit), NEVER, REFUSAL)).toThrow('full');
    const refused = [4, 3].map((at) => expect(robots[at]?.got).rejects.toThrow('full'));
    for (const at of [0, 1]) seated(seats, order, `person ${at}`, request('a', 'person', limit));
    await Promise.all(refused);
    // Of each as many as of the other: whoever comes now has no more right than they.
    for (const user of ['robot', 'person']) {
      expect(() => seats.take(request('a', user, limit), NEVER, REFUSAL)).toThrow('full');
    }
    expect(seats.usage('a', 'nobody')).toMatchObject({ seats: 1, waiting: 4 });
    for (const at of [0, 1, 2]) {
      robots[at]?.leave();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(order).toContain('person 0');
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
    expect(seats.usage('a', 'nobody')).toMatchObject({ seats: 0, waiting: 0 });
    expect(() => seats.take(request('a'), client.signal, REFUSAL)).toThrow('gone');
  });
});
