import { fork } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { BodyReader } from "@countersign/receiver";
import { expect, it } from "vitest";
import { readWebStream } from "../../src/adapters/fetch.ts";
import { readNodeStream } from "../../src/adapters/node-http.ts";
import { linesOf, open, post, request } from "../adapters/wire.ts";
import {
  attemptOf,
  genuine,
  otherSecret,
  recordingReceiver,
  refundAttempt,
  refundAuthorized,
} from "../fixtures.ts";

const MEGABYTE = 1_048_576;
const now = Date.now();

setFlagsFromString("--expose-gc");
// The flag gives new contexts the function; this one was made without it.
const collect = runInNewContext("gc") as () => void;

/** Returns the bytes that the process holds after a collection. */
function held(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

it(
  "A20: a server with 400 sockets that send a megabyte under a wrong signature each grows by less than 96 MiB and answers a genuine event within a second",
  { tags: "ci" },
  async () => {
    const child = fork(fileURLToPath(new URL("memory-server.ts", import.meta.url)), [], {
      execArgv: ["--no-warnings"],
    });
    const measureRss = async (): Promise<number> => {
      const answer = once(child, "message") as Promise<[number]>;
      child.send("rss");
      return (await answer)[0];
    };
    const [port] = (await once(child, "message")) as [number];
    const send = async (id: string): Promise<number> =>
      (await post(port, refundAttempt(id, { now }))).status;
    expect(await send("evt_warm")).toBe(204);
    const before = await measureRss();

    const { headers } = attemptOf(refundAuthorized(), { secrets: [otherSecret], now });
    const part = Buffer.alloc(MEGABYTE - 1, 0x20);
    const sockets = await Promise.all(Array.from({ length: 400 }, () => open(port)));
    // All but the last byte: each body stays in memory until its deadline, unless it is given up.
    for (const socket of sockets) {
      socket.on("error", () => undefined);
      socket.write(request([...linesOf(headers), `Content-Length: ${String(MEGABYTE)}`], part));
    }
    let most = 0;
    const slowest: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const startedAt = performance.now();
      expect(await send(`evt_${String(round)}`)).toBe(204);
      slowest.push(performance.now() - startedAt);
      most = Math.max(most, await measureRss());
    }
    for (const socket of sockets) socket.destroy();
    child.disconnect();
    expect((most - before) / MEGABYTE).toBeLessThan(96);
    expect(Math.max(...slowest)).toBeLessThan(1000);
  },
);

type ReaderOf = (chunks: Iterable<Uint8Array>) => BodyReader;

it.each<readonly [stream: string, ReaderOf]>([
  ["Node.js", (chunks) => (body) => readNodeStream(Readable.from(chunks), body)],
  ["Web", (chunks) => (body) => readWebStream(ReadableStream.from(chunks), body)],
])(
  "A20: a receiver holds a %s stream of chunks of one byte in a small multiple of its bytes",
  async (_stream, readerOf) => {
    const size = 100_000;
    const { receiver } = recordingReceiver();
    const before = held();
    let most = 0;
    function* chunks(): Generator<Uint8Array> {
      for (let sent = 0; sent < size; sent += 1) yield Uint8Array.of(0x20);
      most = held() - before;
    }
    const { headers } = genuine;
    const outcome = await receiver.receive({ headers, body: readerOf(chunks()) });
    // With an object for each chunk it would be a hundred times its bytes.
    expect(most).toBeLessThan(10 * size);
    expect(outcome).toMatchObject({ code: "CS_SIGNATURE_MISMATCH" });
  },
);

it("A20: a receiver holds nothing of attempts that it refused by their headers", async () => {
  const { receiver } = recordingReceiver({ onOutcome: () => undefined });
  const refused = { headers: { "content-encoding": "gzip" }, body: new Uint8Array() };
  await receiver.receive(refused);
  const before = held();
  for (let count = 0; count < 10_000; count += 1) await receiver.receive(refused);
  expect(held() - before).toBeLessThan(500_000);
});
