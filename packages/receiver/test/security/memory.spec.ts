import { fork } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { fileURLToPath } from "node:url";
import type { BodyReader } from "@countersign/receiver";
import { expect, it } from "vitest";
import { heldMemory } from "../../../../test/held-memory.ts";
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
import type { Measured } from "./memory-server.ts";

const MEGABYTE = 1_048_576;
const now = Date.now();

it(
  "A20: a server holds less than 96 MiB for 400 sockets that send a megabyte under a wrong signature each, and answers genuine events once they end",
  { tags: "ci" },
  async () => {
    const child = fork(fileURLToPath(new URL("memory-server.ts", import.meta.url)), [], {
      execArgv: ["--no-warnings"],
    });
    const measure = async (): Promise<Measured> => {
      const answer = once(child, "message") as Promise<[Measured]>;
      child.send("measure");
      return (await answer)[0];
    };
    const [port] = (await once(child, "message")) as [number];
    const sendGenuine = async (id: string): Promise<number> =>
      (await post(port, refundAttempt(id, { now }))).status;
    expect(await sendGenuine("evt_warm")).toBe(204);
    const before = await measure();

    const { headers } = attemptOf(refundAuthorized(), { secrets: [otherSecret], now });
    const part = Buffer.alloc(MEGABYTE - 1, 0x20);
    const sockets = await Promise.all(Array.from({ length: 400 }, () => open(port)));
    // All but the last byte: each body stays in memory until its deadline.
    for (const socket of sockets) {
      socket.on("error", () => undefined);
      socket.write(request([...linesOf(headers), `Content-Length: ${String(MEGABYTE)}`], part));
    }
    const measured: Measured[] = [];
    const hostile = (): number =>
      (measured.at(-1)?.requests ?? 0) - measured.length - before.requests;
    while (hostile() < sockets.length) {
      // Without memory for its body it is refused, and its sender tries again.
      expect([204, 503]).toContain(await sendGenuine("evt_meanwhile"));
      measured.push(await measure());
    }
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => sendGenuine("evt_after"), { timeout: 30_000 }).toBe(204);
    child.disconnect();
    const most = Math.max(...measured.map(({ held }) => held));
    expect((most - before.held) / MEGABYTE).toBeLessThan(96);
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
    const before = heldMemory();
    let most = 0;
    function* chunks(): Generator<Uint8Array> {
      for (let sent = 0; sent < size; sent += 1) yield Uint8Array.of(0x20);
      most = heldMemory() - before;
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
  const before = heldMemory();
  for (let count = 0; count < 10_000; count += 1) await receiver.receive(refused);
  expect(heldMemory() - before).toBeLessThan(500_000);
});
