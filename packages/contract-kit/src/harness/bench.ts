import { createHash } from "node:crypto";
import type { Secret } from "@countersign/signatures";
import type { CheckContext, Exchange } from "../check.ts";
import type { ReceiverTarget } from "../target.ts";
import { sleep } from "./clock.ts";
import type { Connection, Received } from "./connection.ts";
import type { Docket } from "./docket.ts";
import { effectsReader, NO_EFFECTS, type Seen } from "./effects.ts";
import type { EventMaker, EventOrder } from "./events.ts";
import { type Reply, replyOf } from "./reply.ts";
import type { Header, RawRequest } from "./request.ts";
import { type Signing, signingOf } from "./signing.ts";
import { isThere, type Wire } from "./wire.ts";

/** A new event. */
export interface BenchEvent {
  readonly id: string;
  readonly type: string;
  readonly resource: string;
  readonly body: Buffer;
}

/** One attempt, as it will be sent. */
export interface Attempt extends RawRequest {
  /** Ids under which an effect of it could appear. */
  readonly ids: readonly string[];
  /** Its peculiarity, as the subject of a sentence, in case the target exits. */
  readonly what?: string;
}

interface Signed {
  /** Seconds since 1970. Default: now. */
  readonly timestamp?: number;
  /** Default: the target's first. */
  readonly secrets?: readonly Secret[];
  /** The signed id. Default: the event's. */
  readonly id?: string;
  /** Replace the common headers, and are added to those of the signature. */
  readonly headers?: readonly Header[];
}

/** The sending side of one check. */
export interface Bench {
  readonly target: ReceiverTarget;
  /** Seed of random choices. */
  readonly seed: number;
  /** Counts the rounds of a thorough search; 0 in the first one, which is all of a quick search. */
  readonly round: number;
  /** False if the run does not ask about a requirement. */
  readonly isOwed: (requirement: string) => boolean;
  readonly signing: Signing;
  readonly docket: Docket;
  readonly maker: EventMaker;
  /** Seconds since 1970. */
  readonly seconds: () => number;
  readonly event: (order?: Partial<EventOrder>) => BenchEvent;
  /** Genuine, except for what is given. */
  readonly attempt: (event: BenchEvent, signed?: Signed) => Attempt;
  /**
   * Sends an attempt as a sender does: retries after 429, 503 and a closed connection.
   *
   * @param how.isOnce Only 429 is retried, because the check needs the first answer.
   * @throws {TargetLostError} The target no longer answers.
   */
  readonly post: (attempt: Attempt, how?: { readonly isOnce?: boolean }) => Promise<Reply>;
  /** Sends several attempts and returns their replies in order; at most `atOnce` concurrently, and never more than the wire allows. */
  readonly postAll: (
    attempts: readonly Attempt[],
    how?: { readonly isOnce?: boolean; readonly atOnce?: number },
  ) => Promise<readonly Reply[]>;
  /**
   * Sends all at the same moment, each over a separate connection that holds back its last byte. Attempts for which the
   * target accepts no connection have no reply.
   */
  readonly postTogether: (attempts: readonly Attempt[]) => Promise<readonly (Reply | undefined)[]>;
  /** Sends an attempt over a connection that the check has opened. */
  readonly postOver: (
    connection: Connection,
    attempt: Attempt,
    deadlineMs?: number,
  ) => Promise<Reply>;
  readonly reply: (sent: readonly Uint8Array[], received: Received) => Reply;
  /**
   * Returns the handlers' effects, as soon as all of `ids` have one or the target's time is over;
   * `undefined` if the target does not show them.
   */
  readonly effects: (ids: readonly string[]) => Promise<Seen | undefined>;
  /** The reason if `effects` is undefined. */
  readonly noEffects: () => string;
}

/** The target exited or hung during an attempt, and no longer answers. */
export class TargetLostError extends Error {
  readonly exchange: Exchange;
  constructor(message: string, exchange: Exchange) {
    super(message);
    this.exchange = exchange;
  }
}

const COMMON: readonly Header[] = [
  ["Content-Type", "application/json"],
  ["User-Agent", "countersign-verify"],
];

/** Milliseconds until the target has read all but the last byte. */
const GATHERING_MS = 30;
const AT_ONCE = 4;
/** Milliseconds that a connection may take to be accepted while others are open. */
const ACCEPT_MS = 150;
/** Milliseconds for opening the connections of concurrent attempts. */
const OPENING_MS = 1000;
const RETRIES = 5;
const LIMITED_RETRIES = 12;
const LONGEST_WAIT_MS = 5000;

export function openBench(
  target: ReceiverTarget,
  { seed, owed }: CheckContext,
  {
    check,
    docket,
    round = 0,
  }: { readonly check: string; readonly docket: Docket; readonly round?: number },
): Bench {
  const { wire, profile, secrets, notebook, events: maker } = target;
  const signing = signingOf(profile);
  // A receiver remembers ids: they must differ between runs, and be reproducible within one.
  const run = createHash("sha256").update(`${seed} ${target.nonce}`).digest("hex").slice(0, 8);
  const prefix = `cstest_${run}_${check.replace("receiver/", "")}${round === 0 ? "" : round}`;
  let events = 0;

  const seconds = (): number => Math.floor(wire.clock.now() / 1000);
  const reply = (sent: readonly Uint8Array[], received: Received): Reply =>
    replyOf({ sent, received, profile, secrets });

  const postNow = async (attempt: Attempt): Promise<Reply> =>
    reply([wire.head(attempt, true), attempt.body], await wire.send(attempt));

  /** Attempts whose connections were cut since the last answer. */
  let suspects: Attempt[] = [];
  const post: Bench["post"] = async (attempt, { isOnce = false } = {}) => {
    for (let turn = 0; ; turn += 1) {
      // oxlint-disable-next-line no-await-in-loop -- attempts of one delivery never overlap
      const one = await postNow(attempt);
      if (one.status !== undefined) suspects = [];
      else if (one.received.kind === "none" && one.received.why === "closed")
        suspects.push(attempt);
      const waitMs = Math.min(
        one.retryAfterMs(wire.clock.now()) ?? 50 * 2 ** turn,
        LONGEST_WAIT_MS,
      );
      if (one.status === 429 && turn < LIMITED_RETRIES) {
        wire.slowDown(waitMs);
        continue;
      }
      const { received } = one;
      const isCut = received.kind === "none" && received.why !== "timeout";
      const isBusy =
        one.status === 503 || (one.status === 409 && one.header("retry-after") !== undefined);
      if ((isCut || isBusy) && !isOnce && turn < RETRIES)
        // oxlint-disable-next-line no-await-in-loop -- as above
        await sleep(wire.clock, Math.min(waitMs, 1000));
      else {
        // oxlint-disable-next-line no-await-in-loop -- as above
        if (received.kind === "none") await mustBeThere(attempt, one);
        return one;
      }
    }
  };

  /** Any answer to any request will do. */
  const mustBeThere = async (attempt: Attempt, after: Reply): Promise<void> => {
    if (await isThere(wire)) return;
    // Any of the concurrent attempts may have done it.
    const all = suspects.length === 0 ? [attempt] : suspects;
    const what = [...new Set(all.map((one) => one.what ?? "an attempt"))].join(" or ");
    const message = `${what}: got ${after.said}, and the receiver has answered nothing since`;
    notebook.lost ??= `the receiver ended or hung earlier in this run, with ${what} (${docket.subject})`;
    throw new TargetLostError(message, after.exchange());
  };

  return {
    target,
    seed,
    round,
    isOwed: (requirement) => owed?.includes(requirement) ?? true,
    signing,
    docket,
    maker,
    seconds,
    reply,
    post,
    effects: effectsReader(target, wire.clock),
    noEffects: () => notebook.unreadable ?? NO_EFFECTS,
    event: (order = {}) => {
      events += 1;
      const id = order.id ?? `${prefix}_${String(events)}`;
      const resource = order.resource ?? `${prefix}_${String(events)}r`;
      const at = order.at ?? wire.clock.now();
      const event = maker.make({ ...order, id, resource, at });
      const type = order.type ?? order.row?.type ?? profile.catalogue[0]?.type ?? "";
      return { id, type, resource, body: Buffer.from(JSON.stringify(event)) };
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
    postAll: async (attempts, { isOnce = false, atOnce = AT_ONCE } = {}) => {
      const replies: Reply[] = [];
      const left = attempts.entries();
      const work = async (): Promise<void> => {
        for (const [index, attempt] of left)
          // oxlint-disable-next-line no-await-in-loop -- a receiver is not flooded by its check
          replies[index] = await post(attempt, { isOnce });
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return replies;
    },
    postTogether: async (attempts) => {
      const began = wire.clock.now();
      const opened: { attempt: Attempt; connection: Connection; head: Buffer }[] = [];
      for (let at = 0; at < attempts.length; at += AT_ONCE) {
        const some = attempts.slice(at, at + AT_ONCE).map((attempt) => {
          const [connection, head] = [wire.open(), wire.head(attempt)];
          connection.write(Buffer.concat([head, attempt.body]).subarray(0, -1));
          return { attempt, connection, head };
        });
        // oxlint-disable-next-line no-await-in-loop -- a listen backlog takes a few at a time
        const isReady = await readyWithin(some, at === 0 ? wire.deadlineMs : ACCEPT_MS, wire);
        opened.push(...some.filter(({ connection }) => connection.isReady()));
        for (const { connection } of some) if (!connection.isReady()) connection.close();
        // The first connection must not reach the receiver's deadline.
        if (!isReady || wire.clock.now() - began > OPENING_MS) break;
        // oxlint-disable-next-line no-await-in-loop -- as above
        for (const _ of some) await wire.pace();
      }
      await sleep(wire.clock, GATHERING_MS);
      for (const { connection, attempt } of opened) connection.write(lastByte(attempt));
      const replies = new Map(
        await Promise.all(
          opened.map(async ({ attempt, connection, head }) => {
            const received = await wire.read(connection, attempt.method);
            connection.close();
            return [attempt, reply([head, attempt.body], received)] as const;
          }),
        ),
      );
      const silent = [...replies].find(([, one]) => one.status === undefined);
      if (silent !== undefined) await mustBeThere(...silent);
      return attempts.map((attempt) => replies.get(attempt));
    },
    postOver: async (connection, attempt, deadlineMs) => {
      await wire.pace();
      const head = wire.head(attempt, true);
      connection.write(Buffer.concat([head, attempt.body]));
      const received = await wire.read(connection, attempt.method, deadlineMs);
      const one = reply([head, attempt.body], received);
      if (received.kind === "none" && received.why === "timeout") await mustBeThere(attempt, one);
      return one;
    },
  };
}

const lastByte = ({ body }: Attempt): Uint8Array => body.subarray(-1);

/** Waits until all are accepted; false if one is not within that time. */
function readyWithin(
  opened: readonly { readonly connection: Connection }[],
  ms: number,
  { clock }: Wire,
): Promise<boolean> {
  return new Promise((resolve) => {
    const takeBack = clock.after(ms, () => resolve(false));
    void Promise.all(opened.map(({ connection }) => connection.ready)).then(() => {
      takeBack();
      resolve(true);
    });
  });
}
