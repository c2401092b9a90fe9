import { execFile } from "node:child_process";
import type net from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/delivery/transport.ts";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import { listenHttp, type Listening } from "./listening.ts";

let canary: Listening;
beforeAll(async () => {
  canary = await listenHttp((_, response) => response.end("reached"));
});
afterAll(() => canary.close());

const REFUSED = { kind: "unanswered", code: "CS_ATTEMPT_ADDRESS_REFUSED" };

/** A resolver that gives `answers` in turn, the last one for ever. */
function resolver(...answers: readonly string[][]): net.LookupFunction {
  const waiting = [...answers];
  return (_, options, callback) => {
    const next = waiting.length > 1 ? waiting.shift() : waiting[0];
    const addresses = (next ?? []).map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }));
    if (options.all === true) callback(null, addresses);
    else callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
  };
}

async function post(
  url: string,
  options: { lookup?: net.LookupFunction; allowLoopback?: boolean } = {},
): Promise<Answer> {
  const transport = undiciTransport({ deadlineMs: 10_000, ...options });
  try {
    return await transport.post({ url: new URL(url), headers: {}, body: Buffer.from("{}") });
  } finally {
    await transport.close();
  }
}

/** Connections that came in since `before`; one that is wanted comes in after all others. */
async function hitsSince(before: number): Promise<number> {
  await post(canary.url.href, { allowLoopback: true });
  return canary.connections() - before - 1;
}

describe("[P-SUBSCRIBE-PUBLIC-URL] B3 B4 an attempt to a host that is not public", () => {
  it.each([
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "127.0.0.1.",
    "１２７.０.０.１",
    "①②⑦.0.0.1",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "localhost",
    "LOCALHOST",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "10.0.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "100.64.0.1",
  ])("never connects: %s", async (host) => {
    const before = canary.connections();
    expect(await post(`http://${host}:${canary.port}/`)).toEqual(REFUSED);
    expect(await hitsSince(before)).toBe(0);
  });

  it("never connects where a name resolves to it", async () => {
    const url = `http://merchant.example:${canary.port}/`;
    const before = canary.connections();
    expect(await post(url, { lookup: resolver(["127.0.0.1"]) })).toEqual(REFUSED);
    expect(await post(url, { lookup: resolver(["::ffff:127.0.0.1"]) })).toEqual(REFUSED);
    expect(await post(url, { lookup: resolver([]) })).toEqual(REFUSED);
    expect(await hitsSince(before)).toBe(0);
  });

  it("B5 never connects where one address of several is it", async () => {
    const before = canary.connections();
    // Nobody answers at the first one, and Node would try the second.
    const lookup = resolver(["1.1.1.1", "127.0.0.1"]);
    expect(await post(`http://merchant.example:${canary.port}/`, { lookup })).toEqual(REFUSED);
    expect(await hitsSince(before)).toBe(0);
  });

  it("B5 never connects where the name's address changes between two attempts", async () => {
    const before = canary.connections();
    const lookup = resolver(["192.88.99.1"], ["127.0.0.1"]);
    const transport = undiciTransport({ deadlineMs: 10_000, lookup });
    const url = new URL(`http://rebinding.example:${canary.port}/`);
    const request = { url, headers: {}, body: Buffer.from("{}") };
    const answers = [await transport.post(request), await transport.post(request)];
    await transport.close();
    expect(answers).toEqual([REFUSED, REFUSED]);
    expect(await hitsSince(before)).toBe(0);
  });

  it("ends when the connected peer is another one than the resolver's", async () => {
    // A resolver that lies about its answer: checked is one list, connected to another.
    let reads = 0;
    const lookup: net.LookupFunction = (_, __, callback) => {
      const shifting = { family: 4 } as { address: string; family: number };
      Object.defineProperty(shifting, "address", {
        get: () => (reads++ === 0 ? "1.1.1.1" : "127.0.0.1"),
      });
      callback(null, [shifting]);
    };
    expect(await post(`http://merchant.example:${canary.port}/`, { lookup })).toEqual(REFUSED);
  });
});

describe("an attempt with loopback allowed", () => {
  it.each(["127.0.0.1", "localhost", "127.1"])("connects to %s", async (host) => {
    expect(await post(`http://${host}:${canary.port}/`, { allowLoopback: true })).toMatchObject({
      kind: "answered",
      status: 200,
    });
  });

  it.each(["10.0.0.1", "169.254.169.254", "0.0.0.0", "[::]", "[fe80::1]"])(
    "still never connects to %s",
    async (host) => {
      expect(await post(`http://${host}:${canary.port}/`, { allowLoopback: true })).toEqual(
        REFUSED,
      );
    },
  );
});

describe("a proxy of the environment", () => {
  it("B8 never sees an attempt", async () => {
    const proxy = await listenHttp((_, response) => response.end());
    const program = `
      import { undiciTransport } from ${JSON.stringify(new URL("../../src/delivery/undici-transport.ts", import.meta.url).href)};
      const transport = undiciTransport({ deadlineMs: 10_000, allowLoopback: true });
      const answer = await transport.post({ url: new URL(${JSON.stringify(canary.url.href)}), headers: {}, body: Buffer.from("{}") });
      await transport.close();
      console.log(JSON.stringify(answer));`;
    const at = `http://127.0.0.1:${proxy.port}`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--disable-warning=ExperimentalWarning", "--eval", program],
      {
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
        env: {
          ...process.env,
          NODE_USE_ENV_PROXY: "1",
          HTTP_PROXY: at,
          http_proxy: at,
          HTTPS_PROXY: at,
          ALL_PROXY: at,
          NO_PROXY: "",
          no_proxy: "",
        },
      },
    );
    await proxy.close();
    expect(JSON.parse(stdout)).toMatchObject({ kind: "answered", status: 200, excerpt: "reached" });
    expect(proxy.connections()).toBe(0);
  });
});
