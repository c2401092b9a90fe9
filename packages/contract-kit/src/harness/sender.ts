import { createHash } from "node:crypto";
import type { CheckContext } from "../check.ts";
import type { Exchange } from "../exchange-text.ts";
import type { ReceiverTarget } from "../target.ts";
import type { Verdicts } from "../verdicts.ts";
import { type Attempt, AttemptMaker } from "./attempt-maker.ts";
import { sleep } from "./clock.ts";
import type { Connection, Received } from "./connection.ts";
import { NO_EFFECTS, type Seen } from "./effects.ts";
import { Reply } from "./message.ts";
import type { TestEvent } from "./provider-events.ts";
import { isThere, sendTogether } from "./sockets.ts";

interface PostOptions {
  /** True if only 429 is retried, because the check needs the first answer. */
  readonly isOnce?: boolean;
}

/** The target exited or hung during an attempt, and no longer answers. */
export class TargetLostError extends Error {
  readonly exchange: Exchange;
  constructor(message: string, exchange: Exchange) {
    super(message);
    this.exchange = exchange;
  }
}

/** The run has taken its time: what is left is skipped. */
export class TimeUpError extends Error {}

const AT_ONCE = 4;
const RETRIES = 5;
const LIMITED_RETRIES = 12;
const LONGEST_WAIT_MS = 5000;
/** Milliseconds that a run waits for retries that fail in the end. */
const FUTILE_WAIT_MS = 6000;

/** The sending side of one check. */
export class Sender extends AttemptMaker {
  readonly target: ReceiverTarget;
  readonly verdicts: Verdicts;
  /** The requirement that the next attempts are sent for: it fails if one of them ends or hangs the target. */
  requirement: string;
  /** Seed of random choices. */
  readonly seed: number;
  /** Counts the rounds of a thorough search; 0 in the first one, which is all of a quick search. */
  readonly round: number;
  readonly #selected: readonly string[] | undefined;
  /** Attempts whose connections were cut since the last answer. */
  #suspects: Attempt[] = [];

  constructor(
    target: ReceiverTarget,
    { seed, selected }: CheckContext,
    verdicts: Verdicts,
    {
      check = verdicts.check,
      round = 0,
    }: { readonly check?: string; readonly round?: number } = {},
  ) {
    // A receiver remembers ids, so they differ between runs and are reproducible within one.
    const run = createHash("sha256").update(`${seed} ${target.nonce}`).digest("hex").slice(0, 8);
    const { signing, events, secrets, sockets } = target;
    super({
      signing,
      events,
      secrets,
      url: sockets.url,
      now: sockets.clock.now,
      prefix: `cstest_${run}_${check.replace("receiver/", "")}${round === 0 ? "" : round}`,
    });
    this.target = target;
    this.verdicts = verdicts;
    this.seed = seed;
    this.round = round;
    this.#selected = selected;
    [this.requirement = ""] = verdicts.requirements.filter((one) => this.isSelected(one));
  }

  /** False if the run does not ask about a requirement. */
  isSelected(requirement: string): boolean {
    return this.#selected?.includes(requirement) ?? true;
  }

  reply(sent: Uint8Array, received: Received): Reply {
    return new Reply(sent, received, this.target);
  }

  /**
   * Sends an attempt as a sender does: retries after 429, 503 and a closed connection.
   *
   * @throws {TargetLostError} The target no longer answers.
   * @throws {TimeUpError} The run has taken its time.
   */
  async post(attempt: Attempt, { isOnce = false }: PostOptions = {}): Promise<Reply> {
    const { sockets, runState } = this.target;
    let waitedMs = 0;
    for (let turn = 0; ; turn += 1) {
      if (sockets.clock.now() > (runState.endsAt ?? Infinity)) throw new TimeUpError();
      const reply = this.reply(sockets.bytes(attempt, true), await sockets.send(attempt));
      if (reply.failure === undefined) this.#suspects = [];
      else if (reply.failure === "closed") this.#suspects.push(attempt);
      const askedMs = reply.retryAfterMs(sockets.clock.now()) ?? 50 * 2 ** turn;
      const waitMs = Math.min(askedMs, LONGEST_WAIT_MS);
      const isCut = reply.failure !== undefined && reply.failure !== "timeout";
      const isBusy =
        reply.status === 503 || (reply.status === 409 && reply.header("retry-after") !== undefined);
      const isPatient = turn < RETRIES && runState.futileMs < FUTILE_WAIT_MS;
      if (reply.status === 429 && turn < LIMITED_RETRIES) sockets.slowDown(waitMs);
      else if ((isCut || isBusy) && !isOnce && isPatient) {
        waitedMs += Math.min(waitMs, 1000);
        await sleep(sockets.clock, Math.min(waitMs, 1000));
      } else {
        if (isCut || isBusy) runState.futileMs += waitedMs;
        if (reply.failure !== undefined) await this.#checkPresence(attempt, reply);
        return reply;
      }
    }
  }

  /**
   * Sends several attempts and adds their replies; never more at once than senders do.
   *
   * @param isEnough True if the answers so far prove what the check looks for: the rest is not sent.
   */
  async postAll<T extends Attempt>(
    attempts: readonly T[],
    {
      isEnough = () => false,
      ...options
    }: PostOptions & { isEnough?: (replies: readonly Reply[]) => boolean } = {},
  ): Promise<readonly (T & { readonly reply: Reply })[]> {
    const sent: (T & { readonly reply: Reply })[] = [];
    const left = attempts.entries();
    const work = async (): Promise<void> => {
      for (const [index, one] of left) {
        sent[index] = { ...one, reply: await this.post(one, options) };
        if (isEnough(sent.flatMap(({ reply }) => reply))) return;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return sent.filter((one) => one !== undefined);
  }

  /**
   * Sends all at the same moment, each over a separate connection that holds back its last byte. Attempts for which the
   * target accepts no connection have no reply.
   */
  async postTogether(attempts: readonly Attempt[]): Promise<readonly (Reply | undefined)[]> {
    const { sockets } = this.target;
    const received = await sendTogether(sockets, attempts);
    const replies = attempts.map((one) => {
      const got = received.get(one);
      return got && this.reply(sockets.bytes(one), got);
    });
    const at = replies.findIndex((one) => one?.failure !== undefined);
    const [silent, after] = [attempts[at], replies[at]];
    if (silent !== undefined && after !== undefined) await this.#checkPresence(silent, after);
    return replies;
  }

  /** Sends an attempt over a connection that the check has opened. */
  async postOver(connection: Connection, attempt: Attempt, deadlineMs?: number): Promise<Reply> {
    const { sockets } = this.target;
    await sockets.pace();
    const sent = sockets.bytes(attempt, true);
    connection.write(sent);
    const reply = this.reply(sent, await sockets.read(connection, attempt.method, deadlineMs));
    if (reply.failure === "timeout") await this.#checkPresence(attempt, reply);
    return reply;
  }

  /** Opens a connection and sends an attempt's head; the check sends the body. */
  async begin(attempt: Attempt): Promise<{
    readonly connection: Connection;
    /** Reads the answer and closes the connection. `body` is what was sent of it. */
    readonly end: (body?: Uint8Array, deadlineMs?: number) => Promise<Reply>;
  }> {
    const { sockets } = this.target;
    await sockets.pace();
    const connection = sockets.open();
    const head = sockets.head(attempt);
    connection.write(head);
    const end = async (body = attempt.body, deadlineMs?: number): Promise<Reply> => {
      const received = await sockets.read(connection, attempt.method, deadlineMs);
      connection.close();
      return this.reply(Buffer.concat([head, body]), received);
    };
    return { connection, end };
  }

  /** Any answer to any attempt will do. */
  async #checkPresence(attempt: Attempt, after: Reply): Promise<void> {
    const { sockets, runState } = this.target;
    if (await isThere(sockets)) return;
    // Any of the concurrent attempts may have done it.
    const all = this.#suspects.length === 0 ? [attempt] : this.#suspects;
    const what = [...new Set(all.map((one) => one.what))].join(" or ");
    runState.lost ??= `the receiver ended or hung earlier in this run, with ${what} (${this.requirement})`;
    const message = `${what}: got ${after.summary}, and the receiver has answered nothing since`;
    throw new TargetLostError(message, after.exchange());
  }

  /**
   * Returns the handlers' effects, as soon as all of `events` have one or the target's time is over;
   * `undefined` if the target does not show them.
   */
  async effects(events: readonly TestEvent[]): Promise<Seen | undefined> {
    return this.target.effects?.seen(events);
  }

  /** The same, after those of all that was sent before: a genuine attempt follows, and its effect comes last. */
  async finalEffects(events: readonly TestEvent[] = []): Promise<Seen | undefined> {
    if (this.target.effects === undefined) return undefined;
    const last = this.genuine();
    await this.post(last);
    // This waits even if it was not acknowledged: a handler of an earlier attempt may still run.
    return this.effects([...events, last.event]);
  }

  /** The reason if `effects` is undefined. */
  noEffects(): string {
    return this.target.effects?.unreadable ?? NO_EFFECTS;
  }
}
