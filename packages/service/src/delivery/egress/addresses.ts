import ipaddr from "ipaddr.js";
import { isIP } from "node:net";

/** The URLs that events may be delivered to. */
export interface EndpointPolicy {
  /** Also accepts `http:`, to loopback hosts only. Only the sandbox sets it. */
  readonly allowLoopback: boolean;
  /** Ports that a URL may name, also by its scheme. Default: any. */
  readonly ports?: readonly number[];
}

/**
 * Returns a subscription's URL, or `undefined` if events may not be sent there. Every attempt checks it again, whatever was
 * accepted when it was stored. The connector checks that the host's address is public, once it is known.
 */
export function endpointUrl(text: string, policy: EndpointPolicy): URL | undefined {
  if (text.length > 2048 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || text.includes("#")) return undefined;
  const { hostname, protocol } = url;
  // A URL leaves out the default port of its scheme.
  const port = url.port === "" ? (protocol === "https:" ? 443 : 80) : Number(url.port);
  if (policy.ports?.includes(port) === false) return undefined;
  // A literal that no attempt may reach; names are resolved for each attempt.
  const isLiteral = isIP(hostname.replaceAll(/^\[|\]$/g, "")) !== 0;
  const isLoopback = policy.allowLoopback && isLoopbackAddress(hostname);
  if (isLiteral && !isLoopback && !isPublicAddress(hostname)) return undefined;
  const isOwn = isLoopback || (policy.allowLoopback && hostname === "localhost");
  return protocol === "https:" || (protocol === "http:" && isOwn) ? url : undefined;
}

/** Azure's wire server answers every virtual machine here; the range around it is public. */
const DENIED = [ipaddr.parseCIDR("168.63.129.16/32")];
/** IPv6 assigns global addresses only in 2000::/3; everything else is special or not yet in use. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/**
 * True if an IP address belongs to the public Internet, judged on the parsed address: text has many spellings of one.
 * Of the IPv6 forms that carry an IPv4 address, IPv4-mapped ones are judged by it; IPv4-compatible, NAT64, 6to4 and Teredo
 * are refused.
 *
 * @param address IPv4 in dotted decimal or IPv6, with or without brackets and zone. Anything else is not public.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === undefined || parsed.range() !== "unicast") return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(GLOBAL_UNICAST);
  return !DENIED.some((range) => parsed.match(range));
}

/** True if an IP address is this machine's own: 127.0.0.0/8 or ::1, mapped ones included. */
export function isLoopbackAddress(address: string): boolean {
  return parseAddress(address)?.range() === "loopback";
}

function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [bare = ""] = address.replaceAll(/^\[|\]$/g, "").split("%", 1);
  // ipaddr.js also reads 0x7f.1 and 2130706433, which a resolver would never be asked for.
  if (isIP(bare) === 0) return undefined;
  const parsed = ipaddr.parse(bare);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()
    ? parsed.toIPv4Address()
    : parsed;
}
