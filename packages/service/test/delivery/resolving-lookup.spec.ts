import type { LookupAddress } from "node:dns";
import { describe, expect, it, onTestFinished } from "vitest";
import { resolvingLookup } from "../../src/delivery/resolving-lookup.ts";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import { listenHttp } from "./listening.ts";
import { startNameServer, type Said } from "./name-server.ts";

async function lookupAt(answer: (name: string, count: number) => Said) {
  const server = await startNameServer(answer);
  onTestFinished(() => server.close());
  return { server, lookup: resolvingLookup({ servers: [server.address], timeoutMs: 100 }) };
}

type Lookup = ReturnType<typeof resolvingLookup>;
const addressesOf = (lookup: Lookup, name: string): Promise<string | LookupAddress[]> =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

describe("the resolver of deliveries", () => {
  it("gives the addresses that the name servers say, and asks for each connection anew", async () => {
    const { lookup, server } = await lookupAt((_, count) => [`1.1.1.${String(count)}`, "2.2.2.2"]);
    expect(await addressesOf(lookup, "merchant.example")).toEqual([
      { address: "1.1.1.1", family: 4 },
      { address: "2.2.2.2", family: 4 },
    ]);
    expect(await addressesOf(lookup, "merchant.example")).toContainEqual({
      address: "1.1.1.2",
      family: 4,
    });
    expect(server.asked).toEqual(["merchant.example", "merchant.example"]);
  });

  it("asks the operating system for localhost, and nobody else", async () => {
    const { lookup, server } = await lookupAt(() => ["1.1.1.1"]);
    expect(await addressesOf(lookup, "localhost")).toContainEqual({
      address: "127.0.0.1",
      family: 4,
    });
    expect(server.asked).toEqual([]);
  });

  it("looks at no more than 16 addresses of a name", async () => {
    const many = Array.from({ length: 30 }, (_, index) => `1.1.1.${String(index)}`);
    const { lookup } = await lookupAt(() => many);
    expect(await addressesOf(lookup, "merchant.example")).toHaveLength(16);
  });

  it.each<[string, Said]>([
    ["has none", []],
    ["has servers that are silent", "silence"],
  ])("says that a name has no address where it %s", async (_, said) => {
    const { lookup } = await lookupAt(() => said);
    const one = undiciTransport({ deadlineMs: 10_000, lookup });
    onTestFinished(() => one.close());
    const url = new URL("https://merchant.example/");
    expect(await one.post({ url, headers: {}, body: Buffer.from("{}") })).toEqual({
      kind: "unanswered",
      code: "CS_ATTEMPT_NAME_UNRESOLVED",
    });
  });

  it("lets nobody wait for the silent servers of others", async () => {
    const { lookup } = await lookupAt((name) =>
      name === "silent.example" ? "silence" : ["127.0.0.1"],
    );
    const merchant = await listenHttp((_, response) => response.end());
    onTestFinished(() => merchant.close());
    const one = undiciTransport({ deadlineMs: 10_000, allowLoopback: true, lookup });
    onTestFinished(() => one.close());
    const post = (host: string) =>
      one.post({
        url: new URL(`http://${host}:${String(merchant.port)}/`),
        headers: {},
        body: Buffer.from("{}"),
      });
    const order: string[] = [];
    // Far more than the process has threads.
    const silent = Array.from({ length: 50 }, () =>
      post("silent.example").then(() => order.push("silent")),
    );
    await post("merchant.example").then(() => order.push("merchant"));
    await Promise.all(silent);
    expect(order[0]).toBe("merchant");
  });
});
