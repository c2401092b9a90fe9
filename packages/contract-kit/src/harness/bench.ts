import { createHash } from "node:crypto";
import type { Secret } from "@countersign/signatures";
import type { CheckContext } from "../check.ts";
import type { Exchange } from "../exchange-text.ts";
import type { ReceiverTarget } from "../target.ts";
import { sleep } from "./clock.ts";
import type { Connection, Received } from "./connection.ts";
import type { Docket } from "./docket.ts";
import { effectsReader, NO_EFFECTS, type Seen } from "./effects.ts";
import type { EventMaker, EventOrder } from "./events.ts";
import { type Reply, replyOf, type Header, type RawRequest, without } from "./message.ts";
import { type Signing, signingOf } from "./signing.ts";
import { isThere, sendTogether } from "./wire.ts";

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
  /** A genuine attempt without any header of the scheme. */
  readonly unsigned: (order?: Partial<EventOrder>) => Attempt;
  /** Whole, but signed by a secret that no receiver has. */
  readonly foreign: (name: string, order?: Partial<EventOrder>) => Attempt;
  /**
   * Sends an attempt as a sender does: retries after 429, 503 and a closed connection.
   *
   * @param how.isOnce Only 429 is retried, because the check needs the first answer.
   * @throws {TargetLostError} The target no longer answers.
   */
  readonly post: (attempt: Attempt, how?: { readonly isOnce?: boolean }) => Promise<Reply>;
  /** Sends several attempts and returns their replies in order; never more at once than the wire allows. */
  readonly postAll: (
    attempts: readonly Attempt[],
    how?: { readonly isOnce?: boolean },
  ) => Promise<readonly Reply[]>;
  /** The attempts of some cases; each case has its reply then. */
  readonly postCases: <T extends { readonly attempt: Attempt; readonly what?: string }>(
    cases: readonly T[],
    how?: { readonly isOnce?: boolean },
  ) => Promise<readonly (T & { readonly reply: Reply })[]>;
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
  /** The same, after those of all that was sent before: a genuine attempt follows, and its effect comes last. */
  readonly finalEffects: (ids?: readonly string[]) => Promise<Seen | undefined>;
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

const AT_ONCE = 4;
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
        await sleep(wire.clock, Math.min(waitMs, 1000));
      else {
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

  const effects = effectsReader(target, wire.clock);
  const newEvent: Bench["event"] = (order = {}) => {
    events += 1;
    const id = order.id ?? `${prefix}_${String(events)}`;
    const resource = order.resource ?? `${prefix}_${String(events)}r`;
    const at = order.at ?? wire.clock.now();
    const made = maker.make({ ...order, id, resource, at });
    const type = order.type ?? order.row?.type ?? profile.catalogue[0]?.type ?? "";
    return { id, type, resource, body: Buffer.from(JSON.stringify(made)) };
  };
  const newAttempt: Bench["attempt"] = ({ id, body }, signed = {}) => {
    const message = { id: signed.id ?? id, timestamp: signed.timestamp ?? seconds(), body };
    const first = secrets.slice(0, 1);
    const own = signed.headers ?? [];
    const names = new Set(own.map(([name]) => name.toLowerCase()));
    const common = COMMON.filter(([name]) => !names.has(name.toLowerCase()));
    const headers = [...common, ...signing.sign(message, signed.secrets ?? first), ...own];
    return { method: "POST", headers, body, ids: [...new Set([id, message.id])] };
  };
  const postAll: Bench["postAll"] = async (attempts, how) => {
    const replies: Reply[] = [];
    const left = attempts.entries();
    const work = async (): Promise<void> => {
      for (const [index, one] of left) replies[index] = await post(one, how);
    };
    // A receiver is not flooded by its check.
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return replies;
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
    effects,
    finalEffects: async (ids = []) => {
      const last = newEvent();
      await post(newAttempt(last));
      // Also if it was not acknowledged: a handler of an earlier attempt may still run.
      return effects([...ids, last.id]);
    },
    noEffects: () => notebook.unreadable ?? NO_EFFECTS,
    event: newEvent,
    attempt: newAttempt,
    unsigned: (order) => {
      const whole = newAttempt(newEvent(order));
      return { ...whole, headers: without(whole.headers, signing.all) };
    },
    foreign: (name, order) => newAttempt(newEvent(order), { secrets: [signing.stranger(name)] }),
    postAll,
    postCases: async (cases, how) => {
      const replies = await postAll(
        cases.map(({ attempt: one, what = one.what }) => ({ ...one, ...(what && { what }) })),
        how,
      );
      return cases.flatMap((one, index) => {
        const own = replies[index];
        return own === undefined ? [] : [{ ...one, reply: own }];
      });
    },
    postTogether: async (attempts) => {
      const received = await sendTogether(wire, attempts);
      const replies = attempts.map((one) => {
        const got = received.get(one);
        return got && reply([wire.head(one), one.body], got);
      });
      const at = replies.findIndex((one) => one !== undefined && one.status === undefined);
      const [silent, after] = [attempts[at], replies[at]];
      if (silent !== undefined && after !== undefined) await mustBeThere(silent, after);
      return replies;
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
