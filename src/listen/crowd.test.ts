import { describe, expect, it } from 'vitest';
import { Crowd, type CrowdLimits, type Member } from './crowd.ts';

/** A crowd whose connections have names; `ended` are those that gave way, in their order. */
function crowd(limits: Partial<CrowdLimits> = {}) {
  const made = new Crowd({ connections: 8, strangersRequests: 100, ...limits });
  const ended: string[] = [];
  const enter = (name: string, address: string, owner?: string): Member => {
    const member = made.enter(address, () => ended.push(name));
    if (owner !== undefined) made.own(member, owner);
    return member;
  };
  return { made, ended, enter };
}

describe('connections over the limit', () => {
  it('end those of the address that has the most, the oldest first', () => {
    const { made, ended, enter } = crowd();
    enter('honest', '192.0.2.9');
    for (let at = 0; at < 20; at++) enter(`greedy-${at}`, '192.0.2.1');
    expect(made.size).toBe(8);
    expect(ended).toEqual(Array.from({ length: 13 }, (_, at) => `greedy-${at}`));
    enter('newcomer', '192.0.2.8');
    expect(ended.at(-1)).toBe('greedy-13');
  });

  it('end the oldest of any of thousands of addresses that have one each, and the most of one among them', () => {
    const { ended, enter } = crowd({ connections: 2_000 });
    const name = (at: number) => `198.51.${at >> 8}.${at & 255}`;
    for (let at = 0; at < 4_000; at++) enter(name(at), name(at));
    expect(ended).toEqual(Array.from({ length: 2_000 }, (_, at) => name(at)));
    for (const again of ['first', 'second', 'third']) enter(again, name(3_000));
    expect(ended.slice(2_000)).toEqual([name(3_000), 'first', 'second']);
  });

  it('count requests of many strangers by who has the most under way now', () => {
    const { made, ended, enter } = crowd({ connections: 100, strangersRequests: 30 });
    const members = Array.from({ length: 10 }, (_, at) => enter(`${at}`, `192.0.2.${at}`));
    const overs = members.flatMap((member, at) => Array.from({ length: at === 4 ? 5 : 2 }, () => made.begin(member)));
    for (const over of overs.slice(8, 13)) over();
    const ninth = members[9];
    if (ninth === undefined) throw new Error('no member');
    for (let at = 0; at < 13; at++) made.begin(ninth);
    expect(ended).toEqual(['9']);
  });

  it('end none below it', () => {
    const { made, ended, enter } = crowd();
    for (let at = 0; at < 8; at++) enter(`one-${at}`, '192.0.2.1');
    expect({ size: made.size, ended }).toEqual({ size: 8, ended: [] });
  });

  it('take addresses of one network of IPv6 as one, and IPv4 over IPv6 as itself', () => {
    const { ended, enter } = crowd({ connections: 4 });
    enter('other-network', '2001:db8:0:2::1');
    enter('ipv4', '::ffff:192.0.2.1');
    enter('one', '2001:db8:0:1::1');
    enter('two', '2001:db8:0:1:ffff::2%eth0');
    enter('newcomer', '192.0.2.2');
    expect(ended).toEqual(['one']);
  });

  it('end strangers before those of tenants, whatever strangers’ addresses are', () => {
    const { ended, enter } = crowd();
    for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name, '192.0.2.1', 'acme');
    for (let at = 0; at < 10; at++) enter(`stranger-${at}`, `198.51.100.${at}`);
    expect(ended).toEqual(Array.from({ length: 7 }, (_, at) => `stranger-${at}`));
  });

  it('end those of the tenant that has the most where strangers have few, who were idle for longest', () => {
    const { made, ended, enter } = crowd();
    const first = enter('first', '192.0.2.1', 'greedy');
    for (let at = 0; at < 5; at++) enter(`greedy-${at}`, '192.0.2.1', 'greedy');
    enter('calm', '192.0.2.1', 'calm');
    enter('calm-too', '192.0.2.1', 'calm');
    made.begin(first)();
    enter('newcomer', '192.0.2.2', 'calm');
    expect(ended).toEqual(['greedy-0']);
  });

  it('end none of a tenant that has a request under way', () => {
    const { made, ended, enter } = crowd({ connections: 2 });
    for (const name of ['watch', 'other']) made.begin(enter(name, '192.0.2.1', 'acme'));
    enter('newcomer', '192.0.2.2');
    expect(ended).toEqual(['newcomer']);
    const over = made.begin(enter('again', '192.0.2.2'));
    over();
    expect(ended).toEqual(['newcomer', 'again']);
    expect(made.size).toBe(2);
  });
});

describe('requests of strangers over the limit', () => {
  it('end the connection that has the most of them, and no tenant’s', () => {
    const { made, ended, enter } = crowd({ strangersRequests: 10 });
    const tenants = enter('tenant', '192.0.2.1', 'acme');
    for (let at = 0; at < 50; at++) made.begin(tenants);
    made.begin(enter('honest', '192.0.2.2'));
    const greedy = enter('greedy', '192.0.2.3');
    for (let at = 0; at < 9; at++) made.begin(greedy);
    expect(ended).toEqual([]);
    made.begin(greedy);
    expect(ended).toEqual(['greedy']);
  });

  it('count no longer when they are over, when their connection goes, or when it is a tenant’s', () => {
    const { made, ended, enter } = crowd({ strangersRequests: 3 });
    const [one, two, three] = ['one', 'two', 'three'].map((name) => enter(name, '192.0.2.1'));
    if (one === undefined || two === undefined || three === undefined) throw new Error('no members');
    const overs = [made.begin(one), made.begin(one), made.begin(one)];
    for (const over of overs) over();
    for (let at = 0; at < 3; at++) made.begin(two);
    made.leave(two);
    for (let at = 0; at < 3; at++) made.begin(three);
    made.own(three, 'acme');
    for (let at = 0; at < 3; at++) made.begin(one);
    made.begin(two);
    expect(ended).toEqual([]);
    made.begin(one);
    expect(ended).toEqual(['one']);
  });
});
