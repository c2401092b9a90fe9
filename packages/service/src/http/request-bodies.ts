import type { IncomingMessage, ServerResponse } from "node:http";
import { CollectedBytes } from "@countersign/rules";
import type { Clock } from "../clock.ts";
import { refuse, type Refused } from "./problem.ts";

/** The longest time that a body may take to arrive, in milliseconds. */
const BODY_MS = 5000;
/** Bytes of the bodies of all calls in progress, of callers that have authenticated, and of others. */
const CALLERS_BYTES = 16 * 1024 * 1024;
const STRANGERS_BYTES = 1024 * 1024;

interface BodyRequest {
  readonly request: IncomingMessage;
  /** The body counts as in progress until it closes. */
  readonly response: ServerResponse;
  /** Bytes, inclusive. */
  readonly limit: number;
  /** False if the body itself authenticates the caller, or nothing does. */
  readonly isAuthenticated: boolean;
}

/**
 * Reads the bodies of calls, within a time for each and a bound over all. At the bound, the unfinished body with the
 * most bytes is refused, so senders that hold large bodies open cannot keep a small one out.
 */
export class RequestBodies {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #callers: Memory;
  readonly #strangers: Memory = new Memory(STRANGERS_BYTES);

  /** @param options `bodyBytes`: the largest body that a call may have. */
  constructor({ clock, bodyBytes }: { clock: Pick<Clock, "sleep">; bodyBytes: number }) {
    this.#clock = clock;
    this.#callers = new Memory(Math.max(CALLERS_BYTES, 2 * bodyBytes));
  }

  /** Reads a body's bytes. Refuses a content coding, since a few bytes could inflate to any number. */
  async read({ request, response, limit, isAuthenticated }: BodyRequest): Promise<Buffer> {
    const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
    if (coding !== "identity") throw refuse("UNSUPPORTED_MEDIA_TYPE");
    // Also counts the bytes that arrive, whatever this says.
    if (Number(request.headers["content-length"] ?? 0) > limit) throw refuse("PAYLOAD_TOO_LARGE");
    // The events of a connection that has ended are over.
    if (request.destroyed || response.destroyed) throw new SenderGone();
    const memory = isAuthenticated ? this.#callers : this.#strangers;
    const over = new AbortController();
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        let bytes = new CollectedBytes();
        let isGivenUp = false;
        const giveUp = (reason: Refused | SenderGone): void => {
          isGivenUp = true;
          bytes = new CollectedBytes();
          memory.release(body);
          reject(reason);
        };
        const body: Body = { bytes: 0, refuse: () => giveUp(noMemory()) };
        response.once("close", () => memory.release(body));
        request.on("data", (chunk: Buffer) => {
          // The rest is discarded, until the sender ends it or the connection is closed.
          if (isGivenUp) return;
          if (bytes.size + chunk.length > limit) giveUp(tooLarge({ isAuthenticated }));
          else if (memory.reserve(body, bytes.capacityWith(chunk.length))) bytes.add(chunk);
          else giveUp(noMemory());
        });
        request.on("end", () => {
          memory.finish(body);
          const { buffer, length } = bytes.all();
          resolve(Buffer.from(buffer, 0, length));
        });
        request.on("error", () => giveUp(new SenderGone()));
        request.on("close", () => {
          // "close" is emitted after a complete body too.
          if (!request.readableEnded) giveUp(new SenderGone());
        });
        void this.#clock.sleep(BODY_MS, over.signal).then(() => {
          if (!over.signal.aborted) giveUp(tooSlow());
        });
      });
    } finally {
      over.abort();
    }
  }
}

/** Ends the connection of a stranger, who could otherwise send chunks of one byte for ever. */
const tooLarge = ({ isAuthenticated }: Pick<BodyRequest, "isAuthenticated">): Refused =>
  refuse("PAYLOAD_TOO_LARGE", isAuthenticated ? {} : { headers: { connection: "close" } });

const tooSlow = (): Refused =>
  refuse("INVALID_REQUEST", {
    message: `The body did not arrive within ${String(BODY_MS / 1000)} s.`,
    headers: { connection: "close" },
  });

const noMemory = (): Refused =>
  refuse("SERVICE_UNAVAILABLE", { headers: { "retry-after": "1", connection: "close" } });

interface Body {
  /** Of memory. */
  bytes: number;
  readonly refuse: () => void;
}

/** Counts the memory of bodies. */
class Memory {
  readonly #limit: number;
  readonly #unfinished = new Set<Body>();
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Lets a body take `capacity` bytes in all; false if it has to be refused itself. */
  reserve(body: Body, capacity: number): boolean {
    this.#unfinished.add(body);
    while (this.#total - body.bytes + capacity > this.#limit) {
      let largest = body;
      for (const other of this.#unfinished) if (other.bytes > largest.bytes) largest = other;
      if (largest === body) return false;
      largest.refuse();
    }
    this.#total += capacity - body.bytes;
    body.bytes = capacity;
    return true;
  }

  /** Refuses a body for others no longer. */
  finish(body: Body): void {
    this.#unfinished.delete(body);
  }

  release(body: Body): void {
    this.finish(body);
    this.#total -= body.bytes;
    body.bytes = 0;
  }
}

/** The connection ended before the request did, so no one receives an answer. */
export class SenderGone extends Error {
  constructor() {
    super("the sender went away");
    this.name = new.target.name;
  }
}
