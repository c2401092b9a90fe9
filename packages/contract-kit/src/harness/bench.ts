import { createHash } from "node:crypto";
import type { Secret } from "@countersign/signatures";
import type { CheckContext } from "../check.ts";
import type { ReceiverTarget } from "../target.ts";
import type { Docket } from "./docket.ts";
import type { Effect } from "./effects.ts";
import { type EventOrder, madeEvent } from "./made-event.ts";
import { type Reply, replyOf } from "./reply.ts";
import { type Signing, signingOf } from "./signing.ts";
import { sleep } from "./clock.ts";
import type { Connection, Received } from "./connection.ts";
import type { Header, RawRequest } from "./request.ts";
import type { Wire } from "./wire.ts";

/** An event that nothing had before. */
export interface BenchEvent {
  readonly id: string;
  readonly resource: string;
  readonly body: Buffer;
}

/** One attempt, as it is going to be sent. */
export interface Attempt extends RawRequest {
  /** Ids under which an effect of it could show. */
  readonly ids: readonly string[];
}

interface Signed {
  /** Seconds since 1970. Default: now. */
  readonly timestamp?: number;
  /** Default: the target's first. */
  readonly secrets?: readonly Secret[];
  /** The signed id. Default: the event's. */
  readonly id?: string;
  /** Over the common ones, and beside the signature. */
  readonly headers?: readonly Header[];
}

/** What one check sends with. */
export interface Bench {
  readonly target: ReceiverTarget;
  /** Of what is chosen among many. */
  readonly seed: number;
  readonly signing: Signing;
  readonly docket: Docket;
  /** Seconds since 1970. */
  readonly seconds: () => number;
  readonly event: (order?: Partial<EventOrder>) => BenchEvent;
  /** Genuine, but for what is said. */
  readonly attempt: (event: BenchEvent, signed?: Signed) => Attempt;
  readonly post: (attempt: Attempt) => Promise<Reply>;
  /** Several, a few at once, with their replies in the attempts' order. */
  readonly postAll: (attempts: readonly Attempt[], atOnce?: number) => Promise<readonly Reply[]>;
  /** All at the same moment: each over a connection of its own that waits for its last byte. */
  readonly postTogether: (attempts: readonly Attempt[]) => Promise<readonly Reply[]>;
  /** An attempt over a connection that the check has opened. */
  readonly postOver: (
    connection: Connection,
    attempt: Attempt,
    deadlineMs?: number,
  ) => Promise<Reply>;
  readonly reply: (sent: readonly Uint8Array[], received: Received) => Reply;
  /**
   * What handlers have done, as soon as all of `ids` have an effect or the target's time for it is over;
   * `undefined` where nobody can tell.
   */
  readonly effects: (ids: readonly string[]) => Promise<ReadonlyMap<string, Effect> | undefined>;
}

const COMMON: readonly Header[] = [
  ["Content-Type", "application/json"],
  ["User-Agent", "countersign-verify"],
];

const POLL_MS = 20;
/** Milliseconds in which what was written is read up to its last byte. */
const GATHERING_MS = 30;
const AT_ONCE = 8;

export function openBench(
  target: ReceiverTarget,
  { seed }: CheckContext,
  { check, docket }: { readonly check: string; readonly docket: Docket },
): Bench {
  const { wire, profile, secrets } = target;
  const signing = signingOf(profile);
  // A receiver remembers ids: those of another run must differ, those of this one must not.
  const run = createHash("sha256").update(`${seed} ${target.nonce}`).digest("hex").slice(0, 8);
  const prefix = `cstest_${run}_${check.replace("receiver/", "")}`;
  let events = 0;

  const seconds = (): number => Math.floor(wire.clock.now() / 1000);
  const reply = (sent: readonly Uint8Array[], received: Received): Reply =>
    replyOf({ sent, received, profile, secrets });
  const post = async (attempt: Attempt): Promise<Reply> =>
    reply([wire.head(attempt), attempt.body], await wire.send(attempt));

  return {
    target,
    seed,
    signing,
    docket,
    seconds,
    reply,
    post,
    event: (order = {}) => {
      const id = order.id ?? `${prefix}_${String(++events)}`;
      const resource = order.resource ?? `${prefix}_${String(events)}r`;
      const at = order.at ?? wire.clock.now();
      const event = madeEvent(profile, { ...order, id, resource, at });
      return { id, resource, body: Buffer.from(JSON.stringify(event)) };
    },
    attempt: ({ id, body }, signed = {}) => {
      const message = { id: signed.id ?? id, timestamp: signed.timestamp ?? seconds(), body };
      const first = secrets.slice(0, 1);
      const own = signed.headers ?? [];
      const names = new Set(own.map(([name]) => name.toLowerCase()));
      const common = COMMON.filter(([name]) => !names.has(name.toLowerCase()));
      const headers = [...common, ...signing.sign(message, signed.secrets ?? first), ...own];
      return { method: "POST", headers, body, ids: [...new Set([id, message.id])] };
    },
    postAll: async (attempts, atOnce = AT_ONCE) => {
      const replies: Reply[] = [];
      for (let at = 0; at < attempts.length; at += atOnce) {
        const batch = attempts.slice(at, at + atOnce);
        // oxlint-disable-next-line no-await-in-loop -- a receiver is not flooded by its check
        replies.push(...(await Promise.all(batch.map(post))));
      }
      return replies;
    },
    postTogether: async (attempts) => {
      const opened = await Promise.all(
        attempts.map(async (attempt) => {
          await wire.pace();
          const [connection, head] = [wire.open(), wire.head(attempt)];
          const bytes = Buffer.concat([head, attempt.body]);
          connection.write(bytes.subarray(0, -1));
          return { attempt, connection, head, last: bytes.subarray(-1) };
        }),
      );
      await allReady(
        opened.map(({ connection }) => connection),
        wire,
      );
      await sleep(wire.clock, GATHERING_MS);
      for (const { connection, last } of opened) connection.write(last);
      return Promise.all(
        opened.map(async ({ attempt, connection, head }) => {
          const received = await wire.read(connection, attempt.method);
          connection.close();
          return reply([head, attempt.body], received);
        }),
      );
    },
    postOver: async (connection, attempt, deadlineMs) => {
      await wire.pace();
      const head = wire.head(attempt, true);
      connection.write(Buffer.concat([head, attempt.body]));
      const received = await wire.read(connection, attempt.method, deadlineMs);
      return reply([head, attempt.body], received);
    },
    effects: async (ids) => {
      if (target.effects === undefined) return undefined;
      const { clock } = wire;
      const until = clock.now() + target.effectsWaitMs;
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- asked again until all have come
        const list = await target.effects.read();
        const known = new Map(list.map((effect) => [effect.eventId, effect]));
        if (ids.every((id) => known.has(id)) || clock.now() >= until) return known;
        // oxlint-disable-next-line no-await-in-loop -- as above
        await sleep(clock, POLL_MS);
      }
    },
  };
}

/** Waits for connections as long as for an answer; who is not there by then is told by its answer. */
function allReady(connections: readonly Connection[], { clock, deadlineMs }: Wire): Promise<void> {
  return new Promise((resolve) => {
    const takeBack = clock.after(deadlineMs, resolve);
    void Promise.all(connections.map(({ ready }) => ready)).then(() => {
      takeBack();
      resolve();
    });
  });
}
