import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Azure's wire server answers every virtual machine here; the range around it is public. */
const DENIED = [ipaddr.parseCIDR("168.63.129.16/32")];
/** IPv6 gives out global addresses in 2000::/3 alone; everything else is special or not yet in use. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an IP address belongs to the public Internet, judged on the parsed address: never on text,
 * which has many spellings of one address.
 *
 * Refused are private, loopback, link-local, shared (100.64.0.0/10), multicast, reserved,
 * documentation and benchmarking ranges, and every IPv6 form that carries an IPv4 address to somewhere
 * else: IPv4-mapped ones are judged by their IPv4 address, IPv4-compatible, NAT64, 6to4 and Teredo
 * are refused.
 *
 * @param address IPv4 in dotted decimal or IPv6, with or without brackets and zone. A host name, or
 *   a number written in another way, is not public.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === undefined || parsed.range() !== "unicast") return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(GLOBAL_UNICAST);
  return !DENIED.some((range) => parsed.match(range));
}

/** Whether an IP address is this machine's own: 127.0.0.0/8 or ::1, mapped ones included. */
export function isLoopbackAddress(address: string): boolean {
  return parseAddress(address)?.range() === "loopback";
}

function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = address.replaceAll(/^\[|\]$/g, "").replace(/%.*$/, "");
  // ipaddr.js also reads 0x7f.1 and 2130706433, which a resolver would never be asked for.
  if (isIP(bare) === 0) return undefined;
  const parsed = ipaddr.parse(bare);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()
    ? parsed.toIPv4Address()
    : parsed;
}
