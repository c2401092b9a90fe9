import { once } from "node:events";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readWebStream } from "../../src/adapters/fetch.ts";
import { readNodeStream } from "../../src/adapters/node-http.ts";
import { BodyMemory, type BodyResult, type IncomingBody } from "../../src/pipeline/body.ts";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import type { Outcome } from "@countersign/receiver";
import type { Mount } from "./mount.ts";
import { listen } from "./mounts.ts";
import { chunk, linesOf, open, readReply, request } from "./wire.ts";

export const MEGABYTE = 1_048_576;
const limits = { bodyBytes: MEGABYTE, bodyMs: 60_000 };
const incoming = (): IncomingBody =>
  new BodyMemory({ ...limits, bytesInFlight: 2 * MEGABYTE }).open();

setFlagsFromString("--expose-gc");
// The flag gives new contexts the function; this one was made without it.
const collect = runInNewContext("gc") as () => void;

/** Bytes that are held after a collection. */
function held(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

export interface Reading {
  /** The most bytes that were held at any quarter of the body, beyond those before it. */
  readonly most: number;
  readonly result: BodyResult;
}

/** Reads so many chunks of a byte with Node's reader. */
export async function readByNode(chunks: number): Promise<Reading> {
  let most = 0;
  const before = held();
  const stream = new Readable({ read: () => undefined });
  const reading = readNodeStream(stream, incoming());
  for (let sent = 1; sent <= chunks; sent += 1) {
    stream.push(Buffer.alloc(1, 0x20));
    if (sent % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (sent % (chunks / 4) === 0) most = Math.max(most, held() - before);
  }
  stream.push(null);
  return { most, result: await reading };
}

/** Reads so many chunks of a byte with the Web's reader. */
export async function readByWeb(chunks: number): Promise<Reading> {
  let most = 0;
  let sent = 0;
  const before = held();
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if ((sent += 1) > chunks) return controller.close();
      if (sent % (chunks / 4) === 0) most = Math.max(most, held() - before);
      controller.enqueue(Uint8Array.of(0x20));
    },
  });
  return { result: await readWebStream(stream, incoming()), most };
}

/** What a server holds of a body in so many chunks of a byte, before its end, and what comes of it. */
export async function holdByMount(
  mount: Pick<Mount, "serve">,
  chunks: number,
): Promise<{
  readonly held: number;
  readonly status: number;
  readonly outcomes: readonly Outcome[];
}> {
  const { receiver, outcomes } = recordingReceiver({ limits: { ...limits, answerMs: 59_000 } });
  const listening = await listen(await mount.serve(receiver));
  try {
    const { headers } = attemptOf(refundAuthorized());
    const connected = once(listening.server, "connection") as Promise<[Socket]>;
    const socket = await open(listening.port);
    const [accepted] = await connected;
    const reply = readReply(socket);
    const part = Buffer.concat(Array.from({ length: chunks / 10 }, () => chunk(Buffer.from(" "))));
    const before = held();
    socket.write(request([...linesOf(headers), "Transfer-Encoding: chunked"]));
    const start = accepted.bytesRead;
    for (let sent = 0; sent < 10; sent += 1) if (!socket.write(part)) await once(socket, "drain");
    while (accepted.bytesRead - start < 10 * part.length)
      await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    const now = held() - before;
    socket.write(chunk());
    const { status } = await reply;
    socket.destroy();
    return { held: now, status, outcomes };
  } finally {
    listening.close();
  }
}
