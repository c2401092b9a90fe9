import { execFile } from "node:child_process";
import net from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLoopbackAddress, isPublicAddress } from "../../src/delivery/egress/addresses.ts";
import { resolvingLookup } from "../../src/delivery/egress/guarded-connector.ts";
import type { Answer } from "../../src/delivery/types.ts";
import { forbiddenSpellings, post, rebindings, REFUSED } from "./forbidden-addresses.ts";
import { listen, listenHttp, listenRaw, tunnelTo, type Listening } from "./listening.ts";
import { startNameServer } from "./name-server.ts";

/** The ranges of the IANA special-purpose registries, and of one cloud's own. */
const SPECIAL_RANGES = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  168.63.129.16/32 ::/96 ::1/128 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/32 2001:2::/48
  2001:20::/28 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8`;

let canary: Listening;
beforeAll(async () => {
  canary = await listenHttp((_, response) => response.end("reached"), afterAll);
});

/** A resolver that finds these addresses for any name. */
const resolver =
  (addresses: readonly string[]): net.LookupFunction =>
  (_, options, callback) => {
    const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (options.all === true) callback(null, all);
    else callback(null, all[0]?.address ?? "", all[0]?.family);
  };

describe("a public address", () => {
  it.each(SPECIAL_RANGES.trim().split(/\s+/))(
    "B3 is never one of the special range %s",
    (range) => {
      const version = range.includes(":") ? ipaddr.IPv6 : ipaddr.IPv4;
      const edges = [
        version.networkAddressFromCIDR(range),
        version.broadcastAddressFromCIDR(range),
      ];
      for (const edge of edges.map(String))
        expect([edge, isPublicAddress(edge)]).toEqual([edge, false]);
    },
  );

  it("is any other IPv4 or IPv6 address, in brackets or mapped into IPv6 too", () => {
    const addresses = ["1.1.1.1", "8.8.8.8", "168.63.129.17", "2606:4700:4700::1111"];
    for (const address of [...addresses, "[2606:4700:4700::1111]", "::ffff:1.1.1.1"]) {
      expect([address, isPublicAddress(address)]).toEqual([address, true]);
      expect(isLoopbackAddress(address)).toBe(false);
    }
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
      }),
    );
    for (const text of ["localhost", "2130706433", "0x7f.1", "127.1", "", "1.1.1.1.1", "[::1"])
      expect([text, isPublicAddress(text)]).toEqual([text, false]);
    expect(["127.9.9.9", "::ffff:127.1.2.3", "::1"].map(isLoopbackAddress)).not.toContain(false);
  });
});

describe("[P-SUBSCRIBE-PUBLIC-URL] an attempt to a host that is not public", () => {
  it("B4 reaches none of 3,000 forbidden addresses, however each is spelled", async () => {
    expect(await forbiddenSpellings(3000)).toBe(0);
  });

  it("never connects when a name resolves to a private address, also among public ones", async () => {
    const before = canary.connections();
    const url = `http://merchant.example:${canary.port}/`;
    // Nobody answers at 1.1.1.1, and Node would try the next one.
    for (const addresses of [["127.0.0.1"], ["::ffff:127.0.0.1"], [], ["1.1.1.1", "127.0.0.1"]])
      expect(await post(url, { lookup: resolver(addresses) })).toEqual(REFUSED);
    expect(await post(`http://localhost:${canary.port}/`)).toEqual(REFUSED);
    expect(canary.connections()).toBe(before);
  });

  it("B5 never connects when the name's address changes between checks, in 200 attempts", async () => {
    expect(await rebindings(200)).toEqual({ answered: 0, reached: 0 });
  });

  it("ends when the connected peer is not the address that was checked", async () => {
    let reads = 0;
    const lookup: net.LookupFunction = (_, __, callback) => {
      const shifting = { family: 4 } as { address: string; family: number };
      const get = (): string => (reads++ === 0 ? "1.1.1.1" : "127.0.0.1");
      callback(null, [Object.defineProperty(shifting, "address", { get })]);
    };
    expect(await post(`http://merchant.example:${canary.port}/`, { lookup })).toEqual(REFUSED);
  });

  it("connects only to loopback hosts when loopback is allowed", async () => {
    for (const host of ["127.0.0.1", "localhost", "127.1"]) {
      const answer = await post(`http://${host}:${canary.port}/`, { allowLoopback: true });
      expect([host, answer]).toMatchObject([host, { kind: "answered", status: 200 }]);
    }
    for (const host of ["10.0.0.1", "169.254.169.254", "0.0.0.0", "[::]", "[fe80::1]"])
      expect(await post(`http://${host}:${canary.port}/`, { allowLoopback: true })).toEqual(
        REFUSED,
      );
  });
});

describe("a proxy", () => {
  it("B8 of the environment never sees an attempt", async () => {
    const proxy = await listenHttp((_, response) => response.end());
    const transport = new URL("../../src/delivery/egress/transport.ts", import.meta.url).href;
    const program = `
      import { undiciTransport } from ${JSON.stringify(transport)};
      const transport = undiciTransport({ deadlineMs: 10_000, allowLoopback: true });
      const answer = await transport.post({ url: new URL(${JSON.stringify(canary.url.href)}), headers: {}, body: Buffer.from("{}"), merchantId: "mer_1", eventId: "evt_1" });
      await transport.close();
      console.log(JSON.stringify(answer));`;
    const at = `http://127.0.0.1:${proxy.port}`;
    const proxies = { HTTP_PROXY: at, http_proxy: at, HTTPS_PROXY: at, ALL_PROXY: at };
    const env = { ...process.env, ...proxies, NODE_USE_ENV_PROXY: "1", NO_PROXY: "", no_proxy: "" };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--disable-warning=ExperimentalWarning", "--eval", program],
      { cwd: fileURLToPath(new URL("../..", import.meta.url)), env },
    );
    expect(JSON.parse(stdout)).toMatchObject({ kind: "answered", status: 200, excerpt: "reached" });
    expect(proxy.connections()).toBe(0);
  });

  it("B8 of the operator gets the host name and sees only a TLS tunnel", async () => {
    let first = 0;
    const merchant = net.createServer((socket) =>
      socket.once("data", (data) => {
        first = data[0] ?? 0;
        socket.destroy();
      }),
    );
    const { requested, proxy: egressProxy } = await tunnelTo((await listen(merchant)).port);
    const answer = await post("https://merchant.example/hooks", { egressProxy });
    expect(answer).toMatchObject({ kind: "unanswered" });
    expect(requested).toEqual(["merchant.example:443"]);
    // A TLS handshake: the proxy reads neither the body nor its signature.
    expect(first).toBe(0x16);
  });

  it("B8 of the operator gets no request for a literal private address", async () => {
    const { requested, proxy: egressProxy } = await tunnelTo(1);
    for (const url of ["https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/"])
      expect(await post(url, { egressProxy })).toEqual(REFUSED);
    expect(requested).toEqual([]);
  });
});

describe("the resolver of attempts", () => {
  const resolve = (lookup: net.LookupFunction, name: string): Promise<readonly string[]> =>
    new Promise((done, fail) => {
      lookup(name, { all: true }, (error, found) => {
        if (error === null && Array.isArray(found)) done(found.map(({ address }) => address));
        else fail(error ?? new Error("no list"));
      });
    });

  it("asks the name servers again for each connection and takes at most 16 addresses", async () => {
    const many = Array.from({ length: 30 }, (_, index) => `1.1.1.${index}`);
    const server = await startNameServer((_, count) => (count === 1 ? ["2.2.2.2"] : many));
    const lookup = resolvingLookup({ servers: [server.address], timeoutMs: 1000 });
    expect(await resolve(lookup, "merchant.example")).toEqual(["2.2.2.2"]);
    expect(await resolve(lookup, "merchant.example")).toHaveLength(16);
    expect(server.asked).toEqual(["merchant.example", "merchant.example"]);
    expect(await resolve(lookup, "localhost")).toContain("127.0.0.1");
    expect(server.asked).toHaveLength(2);
  });

  it("does not wait for silent name servers, and reports their names as unresolved", async () => {
    const server = await startNameServer((name) =>
      name === "silent.example" ? "silence" : name === "none.example" ? [] : ["127.0.0.1"],
    );
    const lookup = resolvingLookup({ servers: [server.address], timeoutMs: 100 });
    const merchant = await listenRaw((socket) => socket.end("HTTP/1.1 204 No Content\r\n\r\n"));
    const order: string[] = [];
    const send = async (name: string): Promise<Answer> => {
      const url = `http://${name}.example:${merchant.port}/`;
      const answer = await post(url, { allowLoopback: true, lookup });
      order.push(name);
      return answer;
    };
    // Far more than the process has threads.
    const silent = Array.from({ length: 20 }, () => send("silent"));
    expect(await send("merchant")).toMatchObject({ status: 204 });
    const unresolved = { kind: "unanswered", code: "CS_ATTEMPT_NAME_UNRESOLVED" };
    for (const answer of [...(await Promise.all(silent)), await send("none")])
      expect(answer).toEqual(unresolved);
    expect(order[0]).toBe("merchant");
  });
});
