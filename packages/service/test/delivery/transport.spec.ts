import type { RequestListener } from "node:http";
import type net from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { heldMemory } from "../../../../test/held-memory.ts";
import { undiciTransport } from "../../src/delivery/egress/transport.ts";
import { hostileEndpoints, startHostileServers } from "./hostile-endpoints.ts";
import { listenHttp, listenRaw, requestTo, startReceiver } from "./listening.ts";
import { faults, genuine, listenTls, trustAuthority } from "./tls-endpoints.ts";

/** Short if it is to be met, long if a loaded machine must not meet it. */
const DEADLINE = 300;
const PATIENCE = 10_000;

function openTransport(deadlineMs = PATIENCE, lookup?: net.LookupFunction) {
  const own = lookup === undefined ? {} : { lookup };
  const one = undiciTransport({ deadlineMs, allowLoopback: true, ...own });
  onTestFinished(() => one.close());
  return one;
}
const send = (url: URL, one = openTransport()) => one.post(requestTo(url));
const answerOf = async (listener: RequestListener) => send((await listenHttp(listener)).url);

describe("an attempt's request", () => {
  it("leaves no timer behind once it is answered", async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const { url } = await startReceiver();
    const one = openTransport();
    const before = timers();
    for (let count = 0; count < 30; count += 1) await send(url, one);
    expect(timers() - before).toBeLessThan(10);
  });

  it("[P-EVENT-NO-REDIRECT] B6 does not follow redirects: their status is the answer", async () => {
    const elsewhere = await listenHttp((_, response) => response.end());
    for (const status of [301, 302, 303, 307, 308]) {
      const answer = await answerOf((_, response) => {
        response.writeHead(status, { location: elsewhere.url.href }).end();
      });
      expect(answer).toMatchObject({ kind: "answered", status });
    }
    expect(elsewhere.connections()).toBe(0);
  });
});

describe("the answer to an attempt", () => {
  it("B9 is kept as its status, Retry-After and the first 1 KiB of its body", async () => {
    const answer = await answerOf((_, response) => {
      response.writeHead(503, { "retry-after": "120" }).end(`\0${"é".repeat(2000)}`);
    });
    expect(answer).toMatchObject({ kind: "answered", status: 503, retryAfter: "120" });
    // 1 + 2n bytes: the cut falls into a character.
    expect(answer).toHaveProperty("excerpt", `\uFFFD${"é".repeat(511)}\uFFFD`);
  });

  it("B10 is not decompressed", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const answer = await answerOf((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const excerpt = bomb.subarray(0, 1024).toString("utf8").replaceAll("\0", "\uFFFD");
    expect(answer).toMatchObject({ kind: "answered", status: 200, excerpt });
  });

  it("B10 counts by its status when its body is endless, and the connection is closed", async () => {
    let sent = 0;
    let closed = false;
    const answer = await answerOf((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, 97))) sent += 16_384;
      };
      response.writeHead(200).on("drain", more);
      response.on("close", () => (closed = true));
      more();
    });
    const excerpt = "a".repeat(1024);
    const headers = { "transfer-encoding": "chunked" };
    const cut = { kind: "answered", status: 200, retryAfter: undefined, isCut: true, excerpt };
    expect(answer).toEqual({ ...cut, headers: expect.objectContaining(headers) as unknown });
    await expect.poll(() => closed).toBe(true);
    // The cap and what the kernel's buffers hold, far from endless.
    expect(sent).toBeLessThan(32_000_000);
  });

  it("B10 counts by its status when its body comes in chunks of one byte without end", async () => {
    const { url } = await listenRaw(hostileEndpoints["floods with chunks of one byte"]);
    expect(await send(url)).toMatchObject({ kind: "answered", status: 200, isCut: true });
  });

  it("B10 is bounded again on each use of a connection", async () => {
    let lines = 0;
    const server = await listenHttp((_, response) => {
      for (let line = 0; line < lines; line += 1) response.setHeader(`x-${String(line)}`, "y");
      response.end("a".repeat(60_000));
    });
    const one = openTransport();
    for (let count = 0; count < 3; count += 1)
      expect(await send(server.url, one)).toMatchObject({ status: 200 });
    lines = 300;
    expect(await send(server.url, one)).toMatchObject({ kind: "unanswered" });
    expect(server.connections()).toBeLessThanOrEqual(2);
  });
});

describe("[P-EVENT-TIMEOUT] B10 an attempt without a whole answer", () => {
  it.each([
    ["says nothing", "TIMEOUT"],
    ["drips its headers", "TIMEOUT"],
    ["drips its body", "TIMEOUT"],
    ["drips interim answers", "TIMEOUT"],
    ["hangs up at once", "CONNECTION_LOST"],
    ["resets within the body", "CONNECTION_LOST"],
    ["promises more than it sends", "CONNECTION_LOST"],
    ["speaks another protocol", "ANSWER_MALFORMED"],
    ["sends 10,000 headers", "ANSWER_MALFORMED"],
    ["floods with headers", "ANSWER_MALFORMED"],
    ["floods with interim answers", "ANSWER_MALFORMED"],
    ["has one endless header", "ANSWER_MALFORMED"],
    ["has one endless chunk's extension", "ANSWER_MALFORMED"],
    ["sends empty lines without end", "ANSWER_MALFORMED"],
  ] as const)(
    "at an endpoint that %s fails with CS_ATTEMPT_%s by the deadline",
    async (kind, code) => {
      const { url } = await listenRaw(hostileEndpoints[kind]);
      const one = openTransport(code === "TIMEOUT" ? DEADLINE : PATIENCE);
      expect(await send(url, one)).toEqual({ kind: "unanswered", code: `CS_ATTEMPT_${code}` });
    },
  );

  it("at all kinds of hostile endpoints together ends by itself with at most 1 KiB of an answer, and nobody else waits", async () => {
    const servers = await startHostileServers();
    onTestFinished(() => servers.stop());
    const [brief, patient] = [openTransport(2 * DEADLINE), openTransport()];
    const post = async ([kind, url]: readonly [string, string]): Promise<void> => {
      const { excerpt } = { excerpt: "", ...(await send(new URL(url), brief)) };
      expect([kind, excerpt.length <= 1024]).toEqual([kind, true]);
    };
    const posts = Object.entries(servers.urls).flatMap((kind) => [
      ...Array.from({ length: 4 }, () => post(kind)),
      post(kind).then(() => post(kind)),
    ]);
    // Whoever waited for the end of one of these would meet the same deadline.
    for (const url of Object.values(servers.urls)) void send(new URL(url), patient);
    const friend = await startReceiver();
    for (let count = 0; count < 20; count += 1)
      expect(await send(friend.url, patient)).toMatchObject({ status: 204 });
    await Promise.all(posts);
  });

  it("fails with its own code when the connection is refused or the name is unknown", async () => {
    const server = await listenRaw(() => {});
    await server.close();
    const failed = { kind: "unanswered", code: "CS_ATTEMPT_CONNECTION_FAILED" };
    expect(await send(server.url)).toEqual(failed);
    for (const [code, reported] of [
      ["ENOTFOUND", "NAME_UNRESOLVED"],
      ["EAI_AGAIN", "NAME_UNRESOLVED"],
      ["EAI_FAIL", "NAME_UNRESOLVED"],
      ["ETIMEDOUT", "TIMEOUT"],
      ["EPIPE", "CONNECTION_LOST"],
    ] as const) {
      const one = openTransport(PATIENCE, (name, _, callback) =>
        callback(Object.assign(new Error(`no ${name}`), { code }), ""),
      );
      const expected = { kind: "unanswered", code: `CS_ATTEMPT_${reported}` };
      expect([code, await send(new URL("https://nobody.example/"), one)]).toEqual([code, expected]);
    }
  });
});

describe("B11: an endpoint over TLS", () => {
  const failed = { kind: "unanswered", code: "CS_ATTEMPT_TLS_FAILED" };

  it("is posted to only when its certificate is its own and the authority is trusted", async () => {
    const url = await listenTls(genuine);
    expect(await send(url)).toEqual(failed);
    trustAuthority();
    expect(await send(url)).toMatchObject({ kind: "answered", status: 204 });
    for (const [fault, options] of Object.entries(faults))
      expect([fault, await send(await listenTls(options))]).toEqual([fault, failed]);
    const plain = await listenRaw((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(await send(new URL(`https://localhost:${plain.port}/`))).toEqual(failed);
  });

  it("that never answers the handshake fails with CS_ATTEMPT_TIMEOUT by the deadline, and its connection is closed", async () => {
    const closed = Promise.withResolvers<void>();
    const { port } = await listenRaw((socket) => void socket.on("close", () => closed.resolve()));
    const answer = await send(new URL(`https://localhost:${port}/`), openTransport(DEADLINE));
    expect(answer).toEqual({ kind: "unanswered", code: "CS_ATTEMPT_TIMEOUT" });
    await closed.promise;
  });

  it("is checked although NODE_TLS_REJECT_UNAUTHORIZED turns checks off", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await send(await listenTls(faults["a self-signed certificate"]))).toEqual(failed);
  });

  it("costs no lasting memory, however often it fails", { tags: "ci" }, async () => {
    trustAuthority();
    const urls = await Promise.all(Object.values(faults).map((fault) => listenTls(fault)));
    const one = openTransport();
    const postMany = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1)
        for (const answer of await Promise.all([...urls, ...urls].map((url) => send(url, one))))
          expect(answer).toEqual(failed);
    };
    await postMany(10);
    const before = heldMemory();
    await postMany(20);
    // A connection that stayed, with its certificate and its keys, would be tens of kilobytes.
    expect(heldMemory() - before).toBeLessThan(160 * 4096);
  });
});
