import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { singleBytes } from "../../../../test/held-memory.ts";
import { systemClock } from "../../src/clock.ts";
import { RequestBodies, SenderGone } from "../../src/http/request-bodies.ts";
import { listen } from "../delivery/listening.ts";
import { openService } from "../open-service.ts";
import { temporaryDatabase } from "../temporary-database.ts";

interface Upload {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A connection that has sent the head of a POST; `answer` is what came back until now. */
async function begin(url: string, { path, headers }: Upload) {
  const socket: Socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const one = { socket, answer: "" };
  // A service that refuses a body ends its connection.
  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => (one.answer += chunk.toString()));
  await once(socket, "connect");
  const fields = { host: "service.example", accept: "application/json", ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return one;
}

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const CHUNKED = { "transfer-encoding": "chunked" };
const statusOf = ({ answer }: { readonly answer: string }): string => answer.slice(9, 12);
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

/** A call whose body comes in the chunks that are written to `request`. */
function streamedCall(limit: number) {
  const request = Object.assign(new PassThrough(), { headers: {} });
  const call = {
    // The reader uses nothing of them but the stream, its headers and the event `close`.
    request: request as unknown as IncomingMessage,
    response: new PassThrough() as unknown as ServerResponse,
    limit,
  };
  return { request, call };
}

describe("bodies of single bytes", () => {
  const bytes = Buffer.from("1\r\nx\r\n".repeat(60_000));

  it(
    "of 10 strangers are refused by a service with a heap of 64 MB, which serves on",
    { tags: "ci" },
    async () => {
      const { url, isUp } = await smallService();
      const upload = { path: "/v1/tokens", headers: { ...FORM, ...CHUNKED } };
      const uploads = await Promise.all(Array.from({ length: 10 }, () => begin(url, upload)));
      for (const { socket } of uploads) socket.write(bytes);
      await expect
        .poll(() => [isUp(), uploads.filter((one) => statusOf(one) === "413").length])
        .toEqual([true, 10]);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    },
  );

  it("of a caller are held in a small multiple of their number", async () => {
    const size = 65_536;
    const chunks = singleBytes(size);
    const bodies = new RequestBodies({ clock: systemClock, bodyBytes: size });
    const { request, call } = streamedCall(size);
    const reading = bodies.read({ ...call, isAuthenticated: true });
    for await (const chunk of chunks) request.write(chunk);
    request.end();
    expect(await reading).toHaveLength(size);
    expect(chunks.held()).toBeLessThan(10 * size);
  });

  async function smallService() {
    const child = fork(
      fileURLToPath(new URL("small-service.ts", import.meta.url)),
      [temporaryDatabase()],
      {
        execArgv: ["--no-warnings", "--max-old-space-size=64"],
        // An exhausted heap prints its trace.
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      },
    );
    onTestFinished(() => void child.kill());
    const [opened] = (await once(child, "message")) as [{ url: string; token: string }];
    return { ...opened, isUp: () => child.exitCode === null && child.signalCode === null };
  }
});

describe("a body that does not end", () => {
  const begun = { "content-length": "100" };

  it("is refused after 5 s with 400, and its connection is closed", async () => {
    const { service, clock, merchant } = await openService();
    const { clientId: id, clientSecret: secret, token } = merchant;
    const json = { "content-type": "application/json", ...begun };
    for (const upload of [
      { path: "/v1/tokens", headers: { ...FORM, ...begun } },
      {
        path: "/v1/tokens",
        headers: { ...FORM, ...begun, authorization: basic(`${id}:${secret}`) },
      },
      { path: "/v1/refunds", headers: { ...json, authorization: `Bearer ${token}` } },
    ]) {
      const one = await begin(service.url, upload);
      const closed = once(one.socket, "close");
      one.socket.write("{");
      while (one.answer === "") {
        clock.advance(1000);
        await setImmediate();
      }
      await closed;
      expect(one.answer).toMatch(/^HTTP\/1.1 400 .*connection: close.*did not arrive within 5 s/is);
    }
  });

  it("of a client with wrong credentials in its Authorization header is not waited for", async () => {
    const { service, merchant } = await openService();
    const authorization = basic(`${merchant.clientId}:wrong`);
    const headers = { ...FORM, ...begun, authorization };
    const one = await begin(service.url, { path: "/v1/tokens", headers });
    await expect.poll(() => statusOf(one)).toBe("401");
  });
});

it("a body whose sender disappears in the middle gives its bytes back to the bound over all bodies", async () => {
  const MIB = 1024 * 1024;
  const bodies = new RequestBodies({ clock: systemClock, bodyBytes: MIB });
  const ended = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    const call = { request, response, limit: MIB, isAuthenticated: false };
    bodies.read(call).then(ended.resolve, ended.resolve);
  });
  const { port } = await listen(server);
  const headers = { "content-length": String(MIB) };
  const { socket } = await begin(`http://127.0.0.1:${port}`, { path: "/", headers });
  socket.write(Buffer.alloc(100_000), () => socket.destroy());
  expect(await ended.promise).toBeInstanceOf(SenderGone);

  const { request, call } = streamedCall(MIB);
  const reading = bodies.read({ ...call, isAuthenticated: false });
  // Takes all that strangers may; as the largest body it would be refused for one byte more.
  for (let half = 0; half < 2; half += 1) request.write(Buffer.alloc(MIB / 2));
  request.end();
  expect(await reading).toHaveLength(MIB);
});

describe("bodies of token requests that together exceed 1 MiB", () => {
  it("are refused with 503, the largest first, until others are over", async () => {
    const { service, merchant, call } = await openService();
    const { clientId: id, clientSecret: secret } = merchant;
    const credentials = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
    const text = `${credentials}&padding=${"x".repeat(300)}`;
    const ask = () => call("POST", "/v1/tokens", { text, token: null, headers: FORM });
    const headers = { ...FORM, "content-length": "4096" };
    const open = () => begin(service.url, { path: "/v1/tokens", headers });
    const uploads = await Promise.all(Array.from({ length: 300 }, open));
    // All but the last byte.
    for (const { socket } of uploads) socket.write(Buffer.alloc(4095, "x"));
    const refused = () => uploads.filter((one) => statusOf(one) === "503").length;
    await expect.poll(refused).toBe(300 - 256);
    expect(uploads.find((one) => one.answer !== "")?.answer).toMatch(/retry-after: 1\r\n/i);

    // A small one takes the place of a large one.
    expect((await ask()).status).toBe(200);
    await expect.poll(refused).toBe(300 - 255);

    for (const { socket } of uploads) socket.write("x");
    await expect.poll(() => uploads.filter((one) => statusOf(one) === "400").length).toBe(255);
    const others = await Promise.all(Array.from({ length: 256 }, open));
    for (const { socket } of others) socket.write(Buffer.alloc(4096, "x"));
    await expect.poll(() => others.filter((one) => statusOf(one) === "400").length).toBe(256);
  });
});
