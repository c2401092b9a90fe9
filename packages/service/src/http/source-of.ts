import type { Request } from "express";
import ipaddr from "ipaddr.js";

/**
 * Where a call comes from, as far as one sender can be told from another: an IPv4 address, or the /64
 * of an IPv6 one, since whoever has one address of it has them all.
 *
 * Express tells the address: the connection's, or what the trusted proxies say of it.
 */
export function sourceOf({ ip }: Pick<Request, "ip">): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return "unknown";
  // An IPv4 address that came by a socket of both kinds.
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  const prefix = address.toByteArray().slice(0, 8);
  return `${Buffer.from(prefix).toString("hex")}::/64`;
}
