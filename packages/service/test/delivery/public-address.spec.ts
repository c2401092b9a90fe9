import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLoopbackAddress, isPublicAddress } from "../../src/delivery/public-address.ts";

// First and last address of each range in the IANA special-purpose registries that is not reachable
// from everywhere, and what providers serve to their own machines.
const SPECIAL = [
  ["this network", "0.0.0.0", "0.255.255.255"],
  ["private use, 10/8", "10.0.0.0", "10.255.255.255"],
  ["shared address space", "100.64.0.0", "100.127.255.255"],
  ["loopback", "127.0.0.0", "127.255.255.255"],
  ["link-local, with the metadata services", "169.254.0.0", "169.254.255.255"],
  ["private use, 172.16/12", "172.16.0.0", "172.31.255.255"],
  ["protocol assignments", "192.0.0.0", "192.0.0.255"],
  ["documentation 1", "192.0.2.0", "192.0.2.255"],
  ["6to4 relay anycast", "192.88.99.0", "192.88.99.255"],
  ["private use, 192.168/16", "192.168.0.0", "192.168.255.255"],
  ["benchmarking", "198.18.0.0", "198.19.255.255"],
  ["documentation 2", "198.51.100.0", "198.51.100.255"],
  ["documentation 3", "203.0.113.0", "203.0.113.255"],
  ["multicast", "224.0.0.0", "239.255.255.255"],
  ["reserved and broadcast", "240.0.0.0", "255.255.255.255"],
  ["Azure's wire server", "168.63.129.16", "168.63.129.16"],
  ["unspecified and IPv4-compatible", "::", "::ffff:ffff"],
  ["loopback of IPv6", "::1", "::1"],
  ["IPv4-mapped loopback", "::ffff:127.0.0.1", "::ffff:7f00:1"],
  ["IPv4-mapped private use", "::ffff:10.0.0.1", "::ffff:192.168.0.1"],
  ["NAT64", "64:ff9b::", "64:ff9b::ffff:ffff"],
  ["local NAT64", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  ["discard-only", "100::", "100::ffff:ffff:ffff:ffff"],
  ["dummy prefix", "100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"],
  ["Teredo", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["benchmarking of IPv6", "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"],
  ["ORCHIDv2", "2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["documentation of IPv6", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["6to4", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["6to4 of loopback", "2002:7f00:1::", "2002:7f00:1:ffff:ffff:ffff:ffff:ffff"],
  ["documentation of IPv6, the long one", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["segment routing", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["unique local", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["link-local of IPv6", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["site-local", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["multicast of IPv6", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
] as const;

describe("a public address", () => {
  it.each(SPECIAL)("B3 is none in %s", (_, first, last) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
  });

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "168.63.129.17",
    "2606:4700:4700::1111",
    "2a00:1450:4001:800::200e",
  ])("is %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
    expect(isLoopbackAddress(address)).toBe(false);
  });

  it.each([
    "localhost",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
    "１２７.0.0.1",
    "127.0.0.1.",
    "",
    "example.test",
    "1.1.1.1.1",
    "[::1",
  ])("B4 is not what another reader may take for one: %j", (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });

  it("is judged alike with brackets, with a zone, and mapped into IPv6", () => {
    expect(isPublicAddress("[2606:4700:4700::1111]")).toBe(true);
    expect(isPublicAddress("::ffff:1.1.1.1")).toBe(true);
    expect(isPublicAddress("fe80::1%eth0")).toBe(false);
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
      }),
    );
  });

  it("is never an address of this machine", () => {
    const loopback = fc
      .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
      .map((rest) => `127.${rest.join(".")}`);
    fc.assert(
      fc.property(loopback, (address) => {
        expect(isPublicAddress(address)).toBe(false);
        expect(isLoopbackAddress(address)).toBe(true);
        expect(isLoopbackAddress(`::ffff:${address}`)).toBe(true);
      }),
    );
    expect(isLoopbackAddress("::1")).toBe(true);
    expect(isLoopbackAddress("10.0.0.1")).toBe(false);
  });
});
