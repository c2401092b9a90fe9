import { createHash } from "node:crypto";
import type { CheckContext } from "../check.ts";
import type { Exchange } from "../exchange-text.ts";
import { MAX_ANSWERS, type ReceiverTarget } from "./receiver-target.ts";
import type { Verdicts } from "../verdicts.ts";
import { type Attempt, AttemptMaker } from "./attempt-maker.ts";
import { type Clock, sleep } from "./clock.ts";
import type { Connection, Received } from "./connection.ts";
import type { Seen } from "./effects.ts";
import { judgeLimit, LIMITED_RETRIES, LONGEST_WAIT_MS } from "./limits.ts";
import { Reply } from "./message.ts";
import type { CatalogueRow, TestEvent } from "./provider-events.ts";
import { isThere, sendTogether } from "./sockets.ts";

interface PostOptions {
  /** True if only 429 is retried, because the check needs the first answer. */
  readonly retriesOnly429?: boolean;
}

interface PostAllOptions<T extends Attempt = Attempt> extends PostOptions {
  /** True for an answer that the check looks for: after `enough` of them (default 1) the rest is not sent. */
  readonly isFound?: (reply: Reply, attempt: T) => boolean;
  readonly enough?: number;
  /** Attempts at once. Default: 4. */
  readonly atOnce?: number;
}

export interface Sent extends Attempt {
  readonly reply: Reply;
}

interface Observed extends Sent {
  readonly runs: number;
  /** All effects; `undefined` if the target does not show them. */
  readonly seen: Seen | undefined;
}

/** The target exited or hung during an attempt, and no longer answers. */
export class TargetLostError extends Error {
  readonly exchange: Exchange;
  constructor(message: string, exchange: Exchange) {
    super(message);
    this.exchange = exchange;
  }
}

const AT_ONCE = 4;
const RETRIES = 5;
/** Milliseconds that a run waits for retries that fail in the end. */
const FUTILE_WAIT_MS = 6000;

export class KitSender extends AttemptMaker {
  readonly target: ReceiverTarget;
  readonly verdicts: Verdicts;
  readonly clock: Clock;
  /** The requirement that the next attempts are sent for: it fails if one of them ends or hangs the target. */
  blamedIfLost: string;
  readonly seed: number;
  readonly #selected: readonly string[] | undefined;
  /** Attempts whose connections were cut since the last answer. */
  #suspects: Attempt[] = [];

  constructor(
    target: ReceiverTarget,
    { seed, selected }: CheckContext,
    verdicts: Verdicts,
    check: string = verdicts.check,
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
      prefix: `cstest_${run}_${check.replace("receiver/", "")}`,
    });
    this.target = target;
    this.clock = sockets.clock;
    this.verdicts = verdicts;
    this.seed = seed;
    this.#selected = selected;
    [this.blamedIfLost = ""] = verdicts.requirements.filter((one) => this.isSelected(one));
  }

  /** Returns a row of the catalogue, chosen by the seed and a number. */
  row(index = 0): CatalogueRow | undefined {
    const { rows } = this.events;
    return rows[(this.seed + index) % Math.max(1, rows.length)];
  }

  /** Records one observation, with the answers that show it. Returns `holds`. */
  readonly expect = (
    requirement: string,
    holds: boolean,
    message: string,
    ...shown: readonly (Reply | undefined)[]
  ): boolean => this.verdicts.expect(requirement, holds, message, shown);

  /** False if the run does not ask about a requirement. */
  isSelected(requirement: string): boolean {
    return this.#selected?.includes(requirement) ?? true;
  }

  reply(attempt: Attempt, sent: Uint8Array, received: Received): Reply {
    const reply = new Reply(sent, received, this.target);
    const { answers, refusals } = this.target.runState;
    const { status = 0 } = reply;
    if (reply.isAcknowledged) this.target.runState.hasAcknowledged = true;
    else if (status >= 400 && status < 500 && !reply.isInProgress) {
      refusals.count += 1;
      refusals.sent = this.target.sockets.sent;
    }
    if (reply.isEndless) this.target.runState.endless ??= { ...attempt, reply };
    const key = reply.headers.filter(([name]) => name !== "date").join("\n") + reply.text;
    if (reply.failure === undefined && answers.size < MAX_ANSWERS && !answers.has(key))
      answers.set(key, { ...attempt, reply, isGenuine: this.isGenuine(attempt) });
    return reply;
  }

  /**
   * Sends an attempt as a sender does: retries after 429, 503 and a closed connection.
   *
   * @throws {TargetLostError} The target no longer answers, or refused attempts shut genuine ones out.
   * @throws {RunOverError} The run has sent all its requests, or the target's limit is too low for a run.
   */
  async post(attempt: Attempt, { retriesOnly429 = false }: PostOptions = {}): Promise<Reply> {
    const { sockets, runState } = this.target;
    let waitedMs = 0;
    for (let turn = 0; ; turn += 1) {
      const reply = this.reply(attempt, sockets.bytes(attempt, true), await sockets.send(attempt));
      if (reply.failure === undefined) this.#suspects = [];
      else if (reply.failure === "closed") this.#suspects.push(attempt);
      const askedMs = reply.retryAfterMs(this.now()) ?? 50 * 2 ** turn;
      const waitMs = Math.min(askedMs, LONGEST_WAIT_MS);
      const isCut = reply.failure !== undefined && reply.failure !== "timeout";
      const isLater = reply.status === 409 && reply.header("retry-after") !== undefined;
      const isBusy = isCut || isLater || reply.status === 503;
      const isPatient = turn < RETRIES && runState.futileMs < FUTILE_WAIT_MS;
      const isLimited = reply.status === 429;
      if (isLimited && runState.hasAcknowledged) await judgeLimit(this, reply, turn);
      if (isLimited && turn < LIMITED_RETRIES) {
        runState.limitedMs += waitMs;
        sockets.slowDown(waitMs);
      } else if (isBusy && !retriesOnly429 && isPatient) {
        waitedMs += Math.min(waitMs, 1000);
        await sleep(this.clock, Math.min(waitMs, 1000));
      } else {
        if (isBusy) runState.futileMs += waitedMs;
        if (reply.failure !== undefined) await this.#checkPresence(attempt, reply);
        return reply;
      }
    }
  }

  /** Sends several attempts and adds their replies; never more at once than senders do. */
  async postAll<T extends Attempt>(
    attempts: readonly T[],
    { isFound, enough = 1, atOnce = AT_ONCE, ...options }: PostAllOptions<T> = {},
  ): Promise<readonly (T & Sent)[]> {
    const sent: (T & Sent)[] = [];
    const left = attempts.entries();
    let found = 0;
    const work = async (): Promise<void> => {
      for (const [index, one] of left) {
        const reply = await this.post(one, options);
        sent[index] = { ...one, reply };
        if (isFound?.(reply, one) === true) found += 1;
        if (found >= enough) return;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return sent.filter((one) => one !== undefined);
  }

  /**
   * Sends several attempts, then a genuine one whose effect appears last, and adds to each the number of times that a
   * handler has run for it: 0 if the target does not show it.
   *
   * @param isHandled True for an attempt whose effect is waited for.
   */
  async observe<T extends Attempt>(
    attempts: readonly T[],
    options?: PostAllOptions<T>,
    isHandled: (sent: T & Sent) => boolean = () => false,
  ): Promise<readonly (T & Observed)[]> {
    const sent = await this.postAll(attempts, options);
    const handled = sent.filter(isHandled).map(({ event }) => event);
    const seen = await this.postLastAndWaitForEffects(handled);
    return sent.map((one) => ({ ...one, runs: seen?.count(one.event) ?? 0, seen }));
  }

  /**
   * Sends all at the same moment, each over a separate connection that holds back its last byte. Attempts for which the
   * target accepts no connection have no reply.
   */
  async postTogether(attempts: readonly Attempt[]): Promise<readonly (Reply | undefined)[]> {
    const { sockets } = this.target;
    const received = await sendTogether(sockets, attempts);
    const sent = attempts.map((attempt) => {
      const got = received.get(attempt);
      return { attempt, reply: got && this.reply(attempt, sockets.bytes(attempt), got) };
    });
    const silent = sent.find(({ reply }) => reply?.failure !== undefined);
    if (silent?.reply !== undefined) await this.#checkPresence(silent.attempt, silent.reply);
    return sent.map(({ reply }) => reply);
  }

  async postOver(connection: Connection, attempt: Attempt, deadlineMs?: number): Promise<Reply> {
    const { sockets } = this.target;
    await sockets.pace();
    const sent = sockets.bytes(attempt, true);
    connection.write(sent);
    const received = await sockets.read(connection, attempt.method, deadlineMs);
    const reply = this.reply(attempt, sent, received);
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
      return this.reply(attempt, Buffer.concat([head, body]), received);
    };
    return { connection, end };
  }

  /** The same, with the first half of the body sent. */
  async beginHalf(attempt: Attempt): ReturnType<KitSender["begin"]> {
    const { connection, end } = await this.begin(attempt);
    const half = attempt.body.subarray(0, attempt.body.length >> 1);
    connection.write(half);
    return { connection, end: (body = half, deadlineMs?: number) => end(body, deadlineMs) };
  }

  /**
   * Records that genuine attempts are refused since many were that were not.
   *
   * @throws {TargetLostError} Always.
   */
  shutOut(refused: number, reply: Reply): never {
    const { runState } = this.target;
    const message = `after ${refused} refused attempts, genuine ones are answered by ${reply.summary}: anyone's attempts shut the sender out`;
    const error = new TargetLostError(message, reply.exchange());
    runState.lost ??= { error, during: message, isBan: true };
    runState.isGone = true;
    throw error;
  }

  /** Any answer to any attempt will do. */
  async #checkPresence(attempt: Attempt, after: Reply): Promise<void> {
    const { sockets, runState } = this.target;
    // A receiver that serves one connection at a time waits for the next request of a kept one.
    sockets.closeIdle();
    if (await isThere(sockets)) return;
    // Any of the concurrent attempts may have done it.
    const all = this.#suspects.length === 0 ? [attempt] : this.#suspects;
    const what = [...new Set(all.map((one) => one.what))].join(" or ");
    const message = `${what}: got ${after.summary}, and the receiver has answered nothing since`;
    const error = new TargetLostError(message, after.exchange());
    runState.lost ??= { error, during: `${what} (${this.blamedIfLost})` };
    throw error;
  }

  /**
   * Returns the handlers' effects, as soon as all of `events` have one or the target's time is over;
   * `undefined` if the target does not show them, or loses plain events.
   */
  async waitForEffects(events: readonly TestEvent[]): Promise<Seen | undefined> {
    const { effects, runState } = this.target;
    return runState.loss === undefined ? effects?.seen(events) : undefined;
  }

  /** The same, after those of all that was sent before: a genuine attempt follows, and its effect comes last. */
  async postLastAndWaitForEffects(events: readonly TestEvent[] = []): Promise<Seen | undefined> {
    const { effects, runState } = this.target;
    if (effects === undefined || runState.loss !== undefined) return undefined;
    const last = this.attempt();
    await this.post(last);
    // This waits even if it was not acknowledged: a handler of an earlier attempt may still run.
    return this.waitForEffects([...events, last.event]);
  }
}
