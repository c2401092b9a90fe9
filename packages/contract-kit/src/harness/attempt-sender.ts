import { createHash } from "node:crypto";
import type { Secret } from "@countersign/signatures";
import type { CheckContext } from "../check.ts";
import type { Exchange } from "../exchange-text.ts";
import type { ReceiverTarget } from "../target.ts";
import { sleep } from "./clock.ts";
import type { Connection, Received } from "./connection.ts";
import type { Verdicts } from "../verdicts.ts";
import { NO_EFFECTS, type Seen } from "./effects.ts";
import type { TestEvent, EventOrder } from "./events.ts";
import { Reply, type Header, type RawRequest, without } from "./message.ts";
import { Signing } from "./signing.ts";
import { isThere, sendTogether } from "./sockets.ts";

/** One attempt, as it will be sent. */
export interface Attempt extends RawRequest {
  /** Its peculiarity, as the subject of a sentence. */
  readonly what: string;
  readonly event: TestEvent;
  /** Ids under which an effect of it could appear. */
  readonly ids: readonly string[];
}

export interface AttemptOptions {
  /** Default: "an attempt". */
  readonly what?: string;
  /** Default: the event's text. */
  readonly body?: string | Uint8Array;
  /** Seconds since 1970. Default: now. */
  readonly timestamp?: number;
  /** Default: the target's first. */
  readonly secrets?: readonly Secret[];
  /** The signed id. Default: the event's. */
  readonly id?: string;
  /** Replace the common headers, and are added to those of the signature. */
  readonly headers?: readonly Header[];
}

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

const COMMON: readonly Header[] = [
  ["Content-Type", "application/json"],
  ["User-Agent", "countersign-verify"],
];

const AT_ONCE = 4;
const RETRIES = 5;
const LIMITED_RETRIES = 12;
const LONGEST_WAIT_MS = 5000;

/** The sending side of one check. */
export class Sender {
  readonly target: ReceiverTarget;
  readonly verdicts: Verdicts;
  /** The requirement that the next attempts are sent for: it fails if one of them ends or hangs the target. */
  requirement: string;
  readonly signing: Signing;
  /** Seed of random choices. */
  readonly seed: number;
  /** Counts the rounds of a thorough search; 0 in the first one, which is all of a quick search. */
  readonly round: number;
  readonly #selected: readonly string[] | undefined;
  /** Part of all ids: a receiver remembers them, so they differ between runs and are reproducible within one. */
  readonly #prefix: string;
  #events = 0;
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
    this.target = target;
    this.verdicts = verdicts;
    [this.requirement = ""] = verdicts.requirements;
    this.signing = new Signing(target.profile.provider);
    this.seed = seed;
    this.round = round;
    this.#selected = selected;
    const run = createHash("sha256").update(`${seed} ${target.nonce}`).digest("hex").slice(0, 8);
    this.#prefix = `cstest_${run}_${check.replace("receiver/", "")}${round === 0 ? "" : round}`;
  }

  /** False if the run does not ask about a requirement. */
  isSelected(requirement: string): boolean {
    return this.#selected?.includes(requirement) ?? true;
  }

  /** Seconds since 1970. */
  seconds(): number {
    return Math.floor(this.target.sockets.clock.now() / 1000);
  }

  event(order: Partial<EventOrder> = {}): TestEvent {
    const { sockets, events, profile } = this.target;
    this.#events += 1;
    const id = order.id ?? `${this.#prefix}_${this.#events}`;
    const resource = order.resource ?? `${this.#prefix}_${this.#events}r`;
    const made = events.make({ ...order, id, resource, at: order.at ?? sockets.clock.now() });
    const type = order.type ?? order.row?.type ?? profile.catalogue[0]?.type ?? "";
    return { id, type, resource, text: JSON.stringify(made) };
  }

  /** Returns an attempt that is genuine, except for what is given. */
  attempt(event: TestEvent, options: AttemptOptions = {}): Attempt {
    const { what = "an attempt", id = event.id, headers: own = [] } = options;
    const { timestamp = this.seconds(), secrets = this.target.secrets.slice(0, 1) } = options;
    const body = Buffer.from(options.body ?? event.text);
    const names = new Set(own.map(([name]) => name.toLowerCase()));
    const common = COMMON.filter(([name]) => !names.has(name.toLowerCase()));
    const headers = [...common, ...this.signing.sign({ id, timestamp, body }, secrets), ...own];
    return { method: "POST", headers, body, what, event, ids: [...new Set([event.id, id])] };
  }

  /** Returns a genuine attempt of a new event. */
  genuine(options?: AttemptOptions): Attempt {
    return this.attempt(this.event(), options);
  }

  /** Returns an attempt whose body was changed before it was signed. */
  rewritten(what: string, change: (text: string) => string | Uint8Array): Attempt {
    const event = this.event();
    return this.attempt(event, { what, body: change(event.text) });
  }

  /** Returns a genuine attempt without any header of the scheme. */
  unsigned(order?: Partial<EventOrder>): Attempt {
    const whole = this.attempt(this.event(order), { what: "an unsigned attempt" });
    return { ...whole, headers: without(whole.headers, this.signing.all) };
  }

  /** Returns a whole attempt that is signed by a secret that no receiver has. */
  foreign(name: string, order?: Partial<EventOrder>): Attempt {
    const what = "an attempt that another secret signed";
    return this.attempt(this.event(order), { what, secrets: [this.signing.stranger(name)] });
  }

  reply(sent: Uint8Array, received: Received): Reply {
    return new Reply(sent, received, this.target);
  }

  /**
   * Sends an attempt as a sender does: retries after 429, 503 and a closed connection.
   *
   * @throws {TargetLostError} The target no longer answers.
   */
  async post(attempt: Attempt, { isOnce = false }: PostOptions = {}): Promise<Reply> {
    const { sockets } = this.target;
    for (let turn = 0; ; turn += 1) {
      const reply = this.reply(sockets.bytes(attempt, true), await sockets.send(attempt));
      if (reply.failure === undefined) this.#suspects = [];
      else if (reply.failure === "closed") this.#suspects.push(attempt);
      const askedMs = reply.retryAfterMs(sockets.clock.now()) ?? 50 * 2 ** turn;
      const waitMs = Math.min(askedMs, LONGEST_WAIT_MS);
      const isCut = reply.failure !== undefined && reply.failure !== "timeout";
      const isBusy =
        reply.status === 503 || (reply.status === 409 && reply.header("retry-after") !== undefined);
      if (reply.status === 429 && turn < LIMITED_RETRIES) sockets.slowDown(waitMs);
      else if ((isCut || isBusy) && !isOnce && turn < RETRIES)
        await sleep(sockets.clock, Math.min(waitMs, 1000));
      else {
        if (reply.failure !== undefined) await this.#mustBeThere(attempt, reply);
        return reply;
      }
    }
  }

  /** Sends several attempts and adds their replies; never more at once than senders do. */
  async postAll<T extends Attempt>(
    attempts: readonly T[],
    options?: PostOptions,
  ): Promise<readonly (T & { readonly reply: Reply })[]> {
    const sent: (T & { readonly reply: Reply })[] = [];
    const left = attempts.entries();
    const work = async (): Promise<void> => {
      for (const [index, one] of left)
        sent[index] = { ...one, reply: await this.post(one, options) };
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return sent;
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
    if (silent !== undefined && after !== undefined) await this.#mustBeThere(silent, after);
    return replies;
  }

  /** Sends an attempt over a connection that the check has opened. */
  async postOver(connection: Connection, attempt: Attempt, deadlineMs?: number): Promise<Reply> {
    const { sockets } = this.target;
    await sockets.pace();
    const sent = sockets.bytes(attempt, true);
    connection.write(sent);
    const reply = this.reply(sent, await sockets.read(connection, attempt.method, deadlineMs));
    if (reply.failure === "timeout") await this.#mustBeThere(attempt, reply);
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

  /** Any answer to any request will do. */
  async #mustBeThere(attempt: Attempt, after: Reply): Promise<void> {
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
   * Returns the handlers' effects, as soon as all of `ids` have one or the target's time is over;
   * `undefined` if the target does not show them.
   */
  async effects(ids: readonly string[]): Promise<Seen | undefined> {
    return this.target.effects?.seen(ids);
  }

  /** The same, after those of all that was sent before: a genuine attempt follows, and its effect comes last. */
  async finalEffects(ids: readonly string[] = []): Promise<Seen | undefined> {
    const last = this.genuine();
    await this.post(last);
    // This waits even if it was not acknowledged: a handler of an earlier attempt may still run.
    return this.effects([...ids, last.event.id]);
  }

  /** The reason if `effects` is undefined. */
  noEffects(): string {
    return this.target.effects?.unreadable ?? NO_EFFECTS;
  }
}
