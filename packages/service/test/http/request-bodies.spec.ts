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
import { Refused } from "../../src/http/problem.ts";
import { RequestBodies, SenderGone } from "../../src/http/request-bodies.ts";
import { listen } from "../delivery/listening.ts";
import { ManualClock } from "../manual-clock.ts";
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

describe("bodies of strangers that together exceed 1 MiB", () => {
  const SMALL = 4096;
  const open = (bodies: RequestBodies) => {
    const { request, call } = streamedCall(SMALL);
    const reading = bodies.read({ ...call, isAuthenticated: false });
    return {
      request,
      response: call.response,
      ended: reading.then(String, (error: unknown) => error),
    };
  };
  const lengthOf = (end: unknown): unknown => (typeof end === "string" ? end.length : end);
  const turn = (): Promise<void> => setImmediate();

  it("are refused with SERVICE_UNAVAILABLE, the largest first, until others are over", async () => {
    const bodies = new RequestBodies({ clock: new ManualClock(0), bodyBytes: 65_536 });
    const refused: number[] = [];
    const uploads = Array.from({ length: 300 }, (_, index) => {
      const one = open(bodies);
      void one.ended.then((end) => end instanceof Refused && refused.push(index));
      // All but the last byte.
      one.request.write(Buffer.alloc(SMALL - 1, "x"));
      return one;
    });
    await turn();
    expect(refused).toHaveLength(300 - 256);
    const headers = { "retry-after": "1", connection: "close" };
    const refusal = { code: "SERVICE_UNAVAILABLE", headers };
    expect(await uploads[refused[0] ?? 0]?.ended).toMatchObject({ refusal });

    // A small one takes the place of a large one.
    const small = open(bodies);
    small.request.end("x".repeat(300));
    expect(await small.ended).toHaveLength(300);
    expect(refused).toHaveLength(300 - 255);

    // Bodies are over once their calls are answered.
    for (const { response } of [...uploads, small]) response.destroy();
    await turn();
    const others = Array.from({ length: 256 }, () => open(bodies));
    for (const { request } of others) request.end("x".repeat(SMALL));
    const lengths = (await Promise.all(others.map(({ ended }) => ended))).map(lengthOf);
    expect(lengths).toEqual(others.map(() => SMALL));
  });

  it("of token requests are answered 503 with Retry-After", async () => {
    const { service } = await openService();
    const headers = { ...FORM, "content-length": String(SMALL) };
    const response = new PassThrough() as unknown as ServerResponse;
    const { request, call } = streamedCall(1024 * 1024);
    const whole = service.context.bodies.read({ ...call, response, isAuthenticated: false });
    for (let half = 0; half < 2; half += 1) request.write(Buffer.alloc(512 * 1024));
    request.end();
    await whole;
    const one = await begin(service.url, { path: "/v1/tokens", headers });
    one.socket.write("x");
    await expect.poll(() => one.answer).toMatch(/^HTTP\/1.1 503 .*retry-after: 1\r\n/is);
  });
});
