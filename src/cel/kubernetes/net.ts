/**
 * `ip('10.0.0.1')` and `cidr('10.0.0.0/8')`
 * @see k8s.io/apiserver pkg/cel/library/ip.go, cidr.go at v0.36
 */

import {
  type Address,
  addressProblem,
  contains,
  formatAddress,
  isMapped,
  masked,
  type Network,
  parseAddress,
  parseNetwork,
} from '../../k8s/addresses.ts';
import { goQuote } from '../../lib/go-quote.ts';
import { textCost } from '../cost.ts';
import { declare, member, overload } from '../declare.ts';
import type { Library } from '../environment.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { BOOL, INT, STRING, structOf } from '../types.ts';
import { Opaque } from '../values.ts';

const IP = structOf('net.IP');
const CIDR = structOf('net.CIDR');

class IpValue extends Opaque {
  readonly typeName = IP.name;
  readonly address: Address;

  constructor(address: Address) {
    super();
    this.address = address;
  }

  override equals(other: Opaque): boolean {
    return other instanceof IpValue && formatAddress(other.address) === formatAddress(this.address);
  }
}

class CidrValue extends Opaque {
  readonly typeName = CIDR.name;
  readonly network: Network;

  constructor(network: Network) {
    super();
    this.network = network;
  }

  override equals(other: Opaque): boolean {
    return other instanceof CidrValue && formatNetwork(other.network) === formatNetwork(this.network);
  }
}

function formatNetwork({ address, prefix }: Network): string {
  return `${formatAddress(address)}/${prefix}`;
}

function toIp(text: string): IpValue {
  const [plain = '', zone] = text.split('%');
  const address = zone !== undefined && !plain.includes(':') ? undefined : parseAddress(plain);
  if (address === undefined) {
    const why = `ParseAddr(${goQuote(text)}): ${addressProblem(text)}`;
    throw new EvaluationError(`IP Address ${goQuote(text)} parse error during conversion from string: ${why}`);
  }
  if (zone !== undefined) throw new EvaluationError(`IP address ${goQuote(text)} with zone value is not allowed`);
  if (isMapped(address)) throw new EvaluationError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return new IpValue(address);
}

function toCidr(text: string): CidrValue {
  const failed = 'network address parse error during conversion from string';
  const network = parseNetwork(text);
  if (network === undefined) {
    const bits = /\/([^/]*)$/.exec(text)?.[1];
    const isBad = bits !== undefined && !/^\d+$/.test(bits);
    const why = isBad ? `bad bits after slash: ${goQuote(bits)}` : "no '/'";
    throw new EvaluationError(`${failed}: ${failed}: netip.ParsePrefix(${goQuote(text)}): ${why}`);
  }
  if (isMapped(network.address)) {
    throw new EvaluationError(`${failed}: IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  }
  return new CidrValue(network);
}

function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
}

const inRange = (...ranges: readonly string[]) => {
  const networks = ranges.map((range) => parseNetwork(range) as Network);
  return ({ address }: IpValue) => networks.some((network) => contains(network, address));
};
const isUnspecified = ({ address }: IpValue) => address.value === 0n;
const isLoopback = inRange('127.0.0.0/8', '::1/128');
const isMulticast = inRange('224.0.0.0/4', 'ff00::/8');
const isLinkLocal = inRange('169.254.0.0/16', 'fe80::/10');
const isBroadcast = inRange('255.255.255.255/32');

const flag = (name: string, id: string, run: (ip: IpValue) => boolean) => declare(name, [member(id, [IP], BOOL, run)]);
const cidrCost = 4;

export const IP_LIBRARY: Library = {
  types: [IP],
  functions: [
    declare('ip', [overload('string_to_ip', [STRING], IP, toIp)], ([text], _result, id) =>
      id === 'cidr_ip' ? 1 : textCost(text),
    ),
    declare('family', [member('ip_family', [IP], INT, ({ address }: IpValue) => (address.bits === 32 ? 4n : 6n))]),
    declare(
      'ip.isCanonical',
      [overload('ip_is_canonical', [STRING], BOOL, (text: string) => formatAddress(toIp(text).address) === text)],
      ([text]) => textCost(text, 2),
    ),
    flag('isUnspecified', 'ip_is_unspecified', isUnspecified),
    flag('isLoopback', 'ip_is_loopback', isLoopback),
    flag('isLinkLocalMulticast', 'ip_is_link_local_multicast', inRange('224.0.0.0/24', 'ff02::/16')),
    flag('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocal),
    flag(
      'isGlobalUnicast',
      'ip_is_global_unicast',
      (ip) => !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocal(ip) && !isBroadcast(ip),
    ),
    declare('isIP', [overload('is_ip', [STRING], BOOL, (text: string) => succeeds(() => toIp(text)))], ([text]) =>
      textCost(text),
    ),
    declare('string', [overload('ip_to_string', [IP], STRING, ({ address }: IpValue) => formatAddress(address))]),
  ],
};

/** What is no address is no argument either, as the API server says it. */
function ipOf(text: string): IpValue {
  if (parseAddress(text) === undefined) throw new EvaluationError('no such overload');
  return toIp(text);
}

const containsIp = ({ network }: CidrValue, { address }: IpValue) => contains(network, address);
const containsCidr = ({ network }: CidrValue, { network: other }: CidrValue) =>
  network.prefix <= other.prefix && contains(network, other.address);

export const CIDR_LIBRARY: Library = {
  types: [CIDR],
  functions: [
    declare('cidr', [overload('string_to_cidr', [STRING], CIDR, toCidr)], ([text]) => textCost(text)),
    declare(
      'containsIP',
      [
        member('cidr_contains_ip_string', [CIDR, STRING], BOOL, (net: CidrValue, text: string) =>
          containsIp(net, ipOf(text)),
        ),
        member('cidr_contains_ip_ip', [CIDR, IP], BOOL, containsIp),
      ],
      ([, other]) => cidrCost + (typeof other === 'string' ? textCost(other) : 0),
    ),
    declare(
      'containsCIDR',
      [
        member('cidr_contains_cidr_string', [CIDR, STRING], BOOL, (net: CidrValue, text: string) =>
          containsCidr(net, toCidr(text)),
        ),
        member('cidr_contains_cidr', [CIDR, CIDR], BOOL, containsCidr),
      ],
      ([, other]) => cidrCost * 2 + (typeof other === 'string' ? textCost(other) : 0),
    ),
    declare('ip', [member('cidr_ip', [CIDR], IP, ({ network }: CidrValue) => new IpValue(network.address))]),
    declare('prefixLength', [
      member('cidr_prefix_length', [CIDR], INT, ({ network }: CidrValue) => BigInt(network.prefix)),
    ]),
    declare('masked', [
      member('cidr_masked', [CIDR], CIDR, ({ network }: CidrValue) => new CidrValue(masked(network))),
    ]),
    declare('isCIDR', [overload('is_cidr', [STRING], BOOL, (text: string) => succeeds(() => toCidr(text)))], ([text]) =>
      textCost(text),
    ),
    declare('string', [overload('cidr_to_string', [CIDR], STRING, ({ network }: CidrValue) => formatNetwork(network))]),
  ],
};
