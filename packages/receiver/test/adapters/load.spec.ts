import { gzipSync } from "node:zlib";
import { createReceiver, type ReceiverOptions } from "@countersign/receiver";
import type { EventTypeMap } from "@countersign/schemas";
import { afterEach, describe, expect, it } from "vitest";
import { attemptOf, NOON, recordingReceiver, refundAuthorized, secret } from "../fixtures.ts";
import { type Listening, listen, mounts } from "./mounts.ts";
import { holdByMount, MEGABYTE, readByNode, readByWeb } from "./single-bytes.ts";
import { exchange, linesOf, open, readReply, request } from "./wire.ts";

let listening: Listening | undefined;
afterEach(() => {
  listening?.close();
  listening = undefined;
});

// A list of the chunks would hold two hundred bytes of each. A million are in the slow lane.
describe("A20: two hundred thousand chunks of a byte", () => {
  const CHUNKS = 200_000;
  it.each([
    ["Node's", readByNode],
    ["the Web's", readByWeb],
  ])("are held by %s reader in twice their bytes at most, while they arrive", async (_, read) => {
    const { most, result } = await read(CHUNKS);
    expect("error" in result ? result : result.length).toBe(CHUNKS);
    expect(most).toBeLessThan(2 * CHUNKS + MEGABYTE);
  });
});

const bomb = gzipSync(Buffer.alloc(50 * MEGABYTE));

describe.each(mounts.filter(({ streams }) => streams))("$name", (mount) => {
  it("A18: answers 415 to fifty megabytes in fifty kilobytes, and inflates nothing", async () => {
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
    const { held, status, outcomes } = await holdByMount(mount, 20_000);
    // An object of each chunk would be twice this.
    expect(held).toBeLessThan(2 * MEGABYTE);
    expect(status).toBe(401);
    expect(outcomes).toMatchObject([{ kind: "rejected", code: "CS_SIGNATURE_MISMATCH" }]);
  });

  it("[R-BODY-SLOW] A19: goes on answering while sixty senders drip, and lets go of each", async () => {
    const { receiver, handled, outcomes } = recordingReceiver({ limits: { bodyMs: 300 } });
    listening = await listen(await mount.serve(receiver));
    const { port, server } = listening;
    const drips = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const socket = await open(port);
        const { headers } = attemptOf(refundAuthorized("evt_drip"));
        socket.write(request([...linesOf(headers), "Content-Length: 100"], Buffer.from("{")));
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
