import { once } from "node:events";
import type { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { createReceiver, type ReceiverOptions } from "@countersign/receiver";
import type { EventTypeMap } from "@countersign/schemas";
import { afterEach, describe, expect, it } from "vitest";
import { readNodeStream } from "../../src/adapters/read-node-stream.ts";
import { createTurn } from "../../src/adapters/turn.ts";
import { readWebStream } from "../../src/adapters/read-web-stream.ts";
import { attemptOf, NOON, recordingReceiver, refundAuthorized, secret } from "../fixtures.ts";
import { Readable } from "node:stream";
import { type Listening, listen, mounts } from "./mounts.ts";
import { chunk, exchange, linesOf, open, readReply, request } from "./wire.ts";

const MILLION = 1_000_000;
const MEGABYTE = 1_048_576;
const limits = { bodyBytes: MEGABYTE, bodyMs: 60_000 };

setFlagsFromString("--expose-gc");
// The flag gives new contexts the function; this one was made without it.
const collect = runInNewContext("gc") as () => void;

/** Bytes that are held after a collection. */
function held(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

let listening: Listening | undefined;
afterEach(() => {
  listening?.close();
  listening = undefined;
});

describe("A20: a million chunks of a byte", () => {
  it("are held by Node's reader in twice their bytes at most, while they arrive", async () => {
    let most = 0;
    const before = held();
    const stream = new Readable({ read: () => undefined });
    const reading = readNodeStream(stream, limits, createTurn());
    for (let sent = 0; sent < MILLION; sent += 1) {
      stream.push(Buffer.alloc(1, 0x20));
      if (sent % 1000 === 999) await new Promise((resolve) => setImmediate(resolve));
      if (sent % 250_000 === 249_999) most = Math.max(most, held() - before);
    }
    stream.push(null);
    const result = await reading;
    expect("error" in result ? result : result.length).toBe(MILLION);
    expect(most).toBeLessThan(3 * MEGABYTE);
  });

  it("are held by the Web's reader in twice their bytes at most, while they arrive", async () => {
    let most = 0;
    let sent = 0;
    const before = held();
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if ((sent += 1) > MILLION) return controller.close();
        if (sent % 250_000 === 249_999) most = Math.max(most, held() - before);
        controller.enqueue(Uint8Array.of(0x20));
      },
    });
    const result = await readWebStream(stream, limits);
    expect("error" in result ? result : result.length).toBe(MILLION);
    expect(most).toBeLessThan(3 * MEGABYTE);
  });
});

describe.each(mounts.filter(({ streams }) => streams))("$name", (mount) => {
  it("A18: answers 415 to fifty megabytes in fifty kilobytes, and inflates nothing", async () => {
    const bomb = gzipSync(Buffer.alloc(50 * MEGABYTE));
    expect(bomb.length).toBeLessThan(60_000);
    const { receiver } = recordingReceiver();
    listening = await listen(await mount.serve(receiver));
    const lines = ["Content-Encoding: gzip", `Content-Length: ${String(bomb.length)}`];
    await exchange(listening.port, request(lines, bomb));
    const before = process.memoryUsage().arrayBuffers;
    const reply = await exchange(listening.port, request(lines, bomb));
    expect(reply.status).toBe(415);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5 * MEGABYTE);
  });

  it("A20: holds a body in chunks of a byte in twice its bytes at most", async () => {
    const { receiver, outcomes } = recordingReceiver({ limits });
    listening = await listen(await mount.serve(receiver));
    const { headers } = attemptOf(refundAuthorized());
    const connected = once(listening.server, "connection") as Promise<[Socket]>;
    const socket = await open(listening.port);
    const [accepted] = await connected;
    const reply = readReply(socket);
    const part = Buffer.concat(Array.from({ length: 10_000 }, () => chunk(Buffer.from(" "))));
    const before = held();
    socket.write(request([...linesOf(headers), "Transfer-Encoding: chunked"]));
    for (let sent = 0; sent < 10; sent += 1) if (!socket.write(part)) await once(socket, "drain");
    const read = (): number => accepted.bytesRead;
    await expect.poll(read, { timeout: 15_000 }).toBeGreaterThan(9 * part.length);
    await new Promise((resolve) => setImmediate(resolve));
    // A hundred thousand chunks: an object of each would be twice this and more.
    expect(held() - before).toBeLessThan(4 * MEGABYTE);
    socket.write(chunk());
    expect((await reply).status).toBe(401);
    expect(outcomes).toMatchObject([{ kind: "rejected", code: "CS_SIGNATURE_MISMATCH" }]);
    socket.destroy();
  });

  it("[R-BODY-SLOW] A19: goes on answering while sixty senders drip, and lets go of each", async () => {
    const { receiver, handled, outcomes } = recordingReceiver({ limits: { bodyMs: 300 } });
    listening = await listen(await mount.serve(receiver));
    const { port, server } = listening;
    const drips = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const socket = await open(port);
        socket.write(request(["Content-Length: 100"], Buffer.from("{")));
        return { socket, reply: readReply(socket) };
      }),
    );
    for (let index = 0; index < 60; index += 1) {
      const { headers, body } = attemptOf(refundAuthorized(`evt_${String(index)}`));
      expect((await exchange(port, request(linesOf(headers, body), body))).status).toBe(204);
    }
    const refused = await Promise.all(drips.map(({ reply }) => reply));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([408]));
    for (const { socket } of drips) socket.destroy();
    const connections = (): Promise<number> =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      });
    await expect.poll(connections).toBe(0);
    expect(handled).toHaveLength(60);
    expect(outcomes).toHaveLength(120);
  });
});

describe("A20: a limit that would switch a check off", () => {
  const values = [
    Number.NaN,
    -1,
    0,
    0.5,
    Number.POSITIVE_INFINITY,
    "1mb",
    "1 megabyte",
    "1024",
    null,
  ];
  it.each(["bodyBytes", "bodyMs"].flatMap((name) => values.map((value) => [name, value])))(
    "%s: %s is refused at start-up",
    (name, value) => {
      const wrong = {
        limits: { [String(name)]: value },
      } as unknown as ReceiverOptions<EventTypeMap>;
      const { limits: wrongLimits = {} } = wrong;
      expect(() =>
        createReceiver({
          secrets: [secret],
          fallback: () => undefined,
          now: () => NOON,
          limits: wrongLimits,
        }),
      ).toThrow(TypeError);
    },
  );
});
