import { createHash } from "node:crypto";
import type { RequestListener } from "node:http";
import type net from "node:net";
import { setInterval } from "node:timers";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { PostRequest } from "../../src/delivery/transport.ts";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import { listenHttp, listenRaw, type Listening } from "./listening.ts";
import { SOON } from "./soon.ts";

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});
const kept = <T extends { close(): Promise<void> }>(one: T): T => {
  closing.push(one);
  return one;
};

/** Short where it is to be met, long where a loaded machine must not meet it. */
const DEADLINE = 400;
const PATIENCE = 10_000;
const transport = (deadlineMs = PATIENCE) =>
  kept(undiciTransport({ deadlineMs, allowLoopback: true }));
const http = async (listener: RequestListener): Promise<Listening> =>
  kept(await listenHttp(listener));
const raw = async (answer: (socket: net.Socket) => void): Promise<Listening> =>
  kept(await listenRaw(answer));
const to = (url: URL, body = "{}"): PostRequest => ({
  url,
  headers: { "content-type": "application/json", "webhook-id": "evt_1" },
  body: Buffer.from(body),
});

describe("a POST", () => {
  it("carries the bytes and headers as they are given", async () => {
    const arrived: { method?: string; url?: string; type?: string; digest: string }[] = [];
    const server = await http((request, response) => {
      const hash = createHash("sha256");
      request.on("data", (chunk: Buffer) => hash.update(chunk));
      request.on("end", () => {
        arrived.push({
          method: request.method ?? "",
          url: request.url ?? "",
          type: request.headers["content-type"] ?? "",
          digest: hash.digest("hex"),
        });
        response.writeHead(204).end();
      });
    });
    const body = Buffer.from([0x7b, 0xff, 0x00, 0xe2, 0x82, 0xac, 0x7d]);
    const answer = await transport().post({ ...to(server.url), body });
    expect(answer).toEqual({ kind: "answered", status: 204, retryAfter: undefined, excerpt: "" });
    expect(arrived).toEqual([
      {
        method: "POST",
        url: "/hooks?a=1",
        type: "application/json",
        digest: createHash("sha256").update(body).digest("hex"),
      },
    ]);
  });

  it("keeps its connections for the next ones", async () => {
    const server = await http((request, response) => {
      request.resume().on("end", () => response.end("ok"));
    });
    const one = transport();
    for (let count = 0; count < 10; count += 1) await one.post(to(server.url));
    // The answer may be read before its connection is free again.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it("B9 hands on Retry-After and the first 1 KiB of the answer", async () => {
    const server = await http((_, response) => {
      response.writeHead(503, { "retry-after": "120" }).end(`\0${"é".repeat(2000)}`);
    });
    const answer = await transport().post(to(server.url));
    expect(answer).toMatchObject({ kind: "answered", status: 503, retryAfter: "120" });
    // 1 + 2n bytes: the cut falls into a character.
    expect(answer).toHaveProperty("excerpt", `\uFFFD${"é".repeat(511)}\uFFFD`);
  });

  it.each([301, 302, 303, 307, 308])(
    "[P-EVENT-NO-REDIRECT] B6 does not follow a redirect: %d is the answer",
    async (status) => {
      const elsewhere = await http((_, response) => response.end());
      const server = await http((_, response) => {
        response.writeHead(status, { location: elsewhere.url.href }).end();
      });
      expect(await transport().post(to(server.url))).toMatchObject({ kind: "answered", status });
      expect(elsewhere.connections()).toBe(0);
    },
  );

  it("B10 does not decompress the answer", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const server = await http((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const answer = await transport().post(to(server.url));
    expect(answer).toMatchObject({ kind: "answered", status: 200 });
    expect(answer).toHaveProperty(
      "excerpt",
      bomb.subarray(0, 1024).toString("utf8").replaceAll("\0", "\uFFFD"),
    );
  });

  it("B10 takes an endless answer by its status, and hangs up", async () => {
    let sent = 0;
    let closed = false;
    const server = await http((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, 97))) sent += 16_384;
      };
      response
        .writeHead(200)
        .on("drain", more)
        .on("close", () => (closed = true));
      more();
    });
    const answer = await transport().post(to(server.url));
    expect(answer).toEqual({
      kind: "answered",
      status: 200,
      retryAfter: undefined,
      isCut: true,
      excerpt: "a".repeat(1024),
    });
    await expect.poll(() => closed, SOON).toBe(true);
    // The cap and what the kernel's buffers hold, far from endless.
    expect(sent).toBeLessThan(32_000_000);
  });
});

describe("[P-EVENT-TIMEOUT] B10 a POST that gets no whole answer", () => {
  it.each<[string, string, (socket: net.Socket) => void]>([
    ["is never answered", "CS_ATTEMPT_TIMEOUT", () => {}],
    [
      "is answered a byte at a time",
      "CS_ATTEMPT_TIMEOUT",
      (socket) => drip(socket, "HTTP/1.1 200 OK\r\nx-"),
    ],
    [
      "has its body answered a byte at a time",
      "CS_ATTEMPT_TIMEOUT",
      (socket) => drip(socket, "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n"),
    ],
    [
      "gets interim answers without end",
      "CS_ATTEMPT_TIMEOUT",
      (socket) => drip(socket, "", "HTTP/1.1 102 Processing\r\n\r\n"),
    ],
    ["is reset", "CS_ATTEMPT_CONNECTION_LOST", (socket) => socket.resetAndDestroy()],
    ["is hung up on", "CS_ATTEMPT_CONNECTION_LOST", (socket) => socket.end()],
    [
      "is hung up on within the answer",
      "CS_ATTEMPT_CONNECTION_LOST",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"),
    ],
    [
      "is answered in another protocol",
      "CS_ATTEMPT_ANSWER_MALFORMED",
      (socket) => socket.end("220 mail.example ESMTP\r\n"),
    ],
    [
      "is answered with a flood of headers",
      "CS_ATTEMPT_ANSWER_MALFORMED",
      (socket) => socket.end(`HTTP/1.1 200 OK\r\n${"x-a: b\r\n".repeat(10_000)}\r\n`),
    ],
  ])("%s: %s by the deadline", async (_, code, answer) => {
    const server = await raw(answer);
    const started = performance.now();
    const isSlow = code === "CS_ATTEMPT_TIMEOUT";
    const one = transport(isSlow ? DEADLINE : PATIENCE);
    expect(await one.post(to(server.url))).toEqual({ kind: "unanswered", code });
    expect(performance.now() - started).toBeLessThan(PATIENCE / 2);
  });

  it("is refused a connection", async () => {
    const server = await listenRaw(() => {});
    await server.close();
    expect(await transport().post(to(server.url))).toEqual({
      kind: "unanswered",
      code: "CS_ATTEMPT_CONNECTION_FAILED",
    });
  });

  it("meets a server without TLS", async () => {
    const server = await raw((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
    const url = new URL(`https://127.0.0.1:${server.port}/`);
    expect(await transport().post(to(url))).toEqual({
      kind: "unanswered",
      code: "CS_ATTEMPT_TLS_FAILED",
    });
  });

  it("has a name that nobody knows", async () => {
    const one = kept(undiciTransport({ deadlineMs: DEADLINE, lookup: nobodyKnows }));
    expect(await one.post(to(new URL("https://nobody.example/")))).toEqual({
      kind: "unanswered",
      code: "CS_ATTEMPT_NAME_UNRESOLVED",
    });
  });
});

function drip(socket: net.Socket, head: string, unit = "a"): void {
  socket.write(head);
  const timer = setInterval(() => socket.write(unit), 20);
  socket.on("close", () => clearInterval(timer));
}

const nobodyKnows: net.LookupFunction = (name, _, callback) => {
  callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" }), "");
};

describe("a receiver that wants no more", () => {
  it.each(["disable", " Disable "])("says so in its answer's head: %j", async (value) => {
    const server = await http((_, response) => {
      response.writeHead(200, { "webhook-delivery": value }).end();
    });
    expect(await transport().post(to(server.url))).toMatchObject({ status: 200, disables: true });
  });

  it("says nothing with another word", async () => {
    const server = await http((_, response) => {
      response.writeHead(200, { "webhook-delivery": "disabled" }).end();
    });
    expect(await transport().post(to(server.url))).not.toHaveProperty("disables");
  });
});
