/**
 * Who gives way when there are too many connections. A connection is a *stranger's*, counted by its address, until a
 * request on it has shown whose it is; then it is its owner's. So nobody who opens connections without end keeps anybody
 * else out: room is made by ending one of those who have the most.
 *
 * - Strangers give way first, while they hold more than a quarter of all: of the address with the most, the oldest. An
 *   honest newcomer is a stranger for as long as a handshake and one request take.
 * - Then owners: of the one with the most, the connection that has been without a request for longest. One with a request
 *   is never ended.
 * - Strangers' requests are bounded together; whoever has the most of them open loses the connection that they came on.
 */
import { formatAddress, isMapped, masked, parseAddress } from '../k8s/addresses.ts';
import { ByWeight } from './by-weight.ts';

export interface Member {
  /** Who has it by now; undefined of a stranger. */
  owner: string | undefined;
  readonly address: string;
  /** Under way on it. */
  requests: number;
  end(): void;
}

interface Owner {
  size: number;
  /** Without a request; who has been for longest comes first. */
  readonly idle: Set<Member>;
}

export interface CrowdLimits {
  readonly connections: number;
  /** Requests of strangers under way at once. */
  readonly strangersRequests: number;
}

export class Crowd {
  readonly #limits: CrowdLimits;
  /** By address; the oldest comes first. */
  readonly #strangers = new Map<string, Set<Member>>();
  /** How many connections each of their addresses has, and how many requests each of them has under way. */
  readonly #byAddress = new ByWeight<Set<Member>>();
  readonly #byRequests = new ByWeight<Member>();
  readonly #owners = new Map<string, Owner>();
  /** How many connections each owner has that has one without a request. */
  readonly #byIdleOwner = new ByWeight<Owner>();
  readonly #members = new Set<Member>();
  #strangersCount = 0;
  #strangersRequests = 0;

  constructor(limits: CrowdLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#members.size;
  }

  [Symbol.iterator](): Iterator<Member> {
    return this.#members.values();
  }

  /**
   * A connection that has just come. Where there is no room one is ended for it, or it is ended itself.
   * @param remoteAddress of its other end
   */
  enter(remoteAddress: string, end: () => void): Member {
    const member: Member = { owner: undefined, address: networkOf(remoteAddress), requests: 0, end };
    this.#members.add(member);
    const ofAddress = this.#strangers.get(member.address) ?? new Set();
    this.#strangers.set(member.address, ofAddress.add(member));
    this.#byAddress.set(ofAddress, ofAddress.size);
    this.#strangersCount += 1;
    if (this.#members.size > this.#limits.connections) this.#end(this.#whoGivesWay(member) ?? member);
    return member;
  }

  leave(member: Member): void {
    if (!this.#members.delete(member)) return;
    if (member.owner === undefined) this.#leaveStrangers(member);
    else this.#leaveOwner(member, member.owner);
  }

  /** A request on it has shown whose it is. */
  own(member: Member, owner: string): void {
    if (member.owner === owner || !this.#members.has(member)) return;
    if (member.owner === undefined) this.#leaveStrangers(member);
    else this.#leaveOwner(member, member.owner);
    member.owner = owner;
    const entry = this.#owners.get(owner) ?? { size: 0, idle: new Set() };
    this.#owners.set(owner, entry);
    entry.size += 1;
    if (member.requests === 0) entry.idle.add(member);
    this.#weigh(entry);
  }

  /** A request begins on it; the function is called once, when it is over. */
  begin(member: Member): () => void {
    if (!this.#members.has(member)) return () => {};
    member.requests += 1;
    if (member.owner === undefined) {
      this.#strangersRequests += 1;
      this.#byRequests.set(member, member.requests);
      if (this.#strangersRequests > this.#limits.strangersRequests) this.#endBusiestStranger();
    } else this.#setIdle(member, member.owner);
    return () => this.#over(member);
  }

  #over(member: Member): void {
    member.requests -= 1;
    if (!this.#members.has(member)) return;
    if (member.owner === undefined) {
      this.#strangersRequests -= 1;
      this.#byRequests.set(member, member.requests);
    } else this.#setIdle(member, member.owner);
  }

  #setIdle(member: Member, owner: string): void {
    const entry = this.#owners.get(owner);
    if (entry === undefined) return;
    if (member.requests > 0) entry.idle.delete(member);
    else entry.idle.add(member);
    this.#weigh(entry);
  }

  #weigh(owner: Owner): void {
    this.#byIdleOwner.set(owner, owner.idle.size > 0 ? owner.size : 0);
  }

  #leaveStrangers(member: Member): void {
    const ofAddress = this.#strangers.get(member.address);
    if (ofAddress === undefined) return;
    ofAddress.delete(member);
    this.#byAddress.set(ofAddress, ofAddress.size);
    this.#byRequests.set(member, 0);
    if (ofAddress.size === 0) this.#strangers.delete(member.address);
    this.#strangersCount -= 1;
    this.#strangersRequests -= member.requests;
  }

  #leaveOwner(member: Member, owner: string): void {
    const entry = this.#owners.get(owner);
    if (entry === undefined) return;
    entry.idle.delete(member);
    entry.size -= 1;
    this.#weigh(entry);
    if (entry.size === 0) this.#owners.delete(owner);
  }

  #end(member: Member): void {
    this.leave(member);
    member.end();
  }

  #whoGivesWay(newcomer: Member): Member | undefined {
    const stranger = this.#strangerOfMost(newcomer);
    if (this.#strangersCount > this.#limits.connections / 4) return stranger ?? this.#idleOfMost();
    return this.#idleOfMost() ?? stranger;
  }

  #strangerOfMost(newcomer: Member): Member | undefined {
    const own = this.#strangers.get(newcomer.address);
    const most = this.#byAddress.heaviest(own?.size === 1 ? own : undefined);
    return most && Iterator.from(most).find((member) => member !== newcomer);
  }

  #idleOfMost(): Member | undefined {
    const most = this.#byIdleOwner.heaviest();
    return most && Iterator.from(most.idle).next().value;
  }

  #endBusiestStranger(): void {
    const busiest = this.#byRequests.heaviest();
    if (busiest !== undefined) this.#end(busiest);
  }
}

/** Who has one address of IPv6 has a /64 of them. An IPv4 address that came over IPv6 is that address. */
function networkOf(text: string): string {
  const address = parseAddress(text.split('%')[0] ?? '');
  if (address === undefined) return text;
  if (address.bits === 32) return formatAddress(address);
  if (isMapped(address)) return formatAddress({ bits: 32, value: address.value & 0xffff_ffffn });
  return formatAddress(masked({ address, prefix: 64 }).address);
}
