import { Pacer, sleep } from "./clock.ts";
import { Connection, type Reach, type Received } from "./connection.ts";
import { checkOwned, hostOf, isLocalName } from "./owned-host.ts";
import { headBytes, type RawRequest } from "./message.ts";

/** The target never answered: nothing can be verified. */
export class TargetSilentError extends Error {}

/** The run was interrupted, or has sent all its requests: the message says which. Requirements without an observation are skipped. */
export class RunOverError extends Error {}

export interface SocketsOptions extends Reach {
  readonly deadlineMs: number;
  /** Maximum requests per second. Default: 50, unlimited for this machine. */
  readonly perSecond?: number | undefined;
  readonly maxBodyBytes?: number;
}

const PER_SECOND = 50;
/** Concurrent connections, as senders have a few for each receiver. */
const AT_ONCE = 4;
/** Milliseconds that a connection is kept without a request: servers close theirs after two seconds or five. */
const IDLE_MS = 1000;
/** Timeouts after which a target that answers others at once is given less time. */
const PATIENT_TIMEOUTS = 2;
const IMPATIENT_MS = 2000;
/** A target on a busy machine may take this many times as long as its slowest answer so far. */
const SLOWER = 4;

/** Sends requests as bytes to one URL, and reads the answers; never follows a redirect. */
export class Sockets {
  readonly url: URL;
  readonly clock: Reach["clock"];
  readonly deadlineMs: number;
  /** Maximum requests per second; `undefined`: no limit. */
  readonly perSecond: number | undefined;
  sent = 0;
  maxRequests: number = Infinity;
  /** The reason if nothing more may be sent. */
  over: string | undefined;
  /** Seconds by which the target's clock is ahead of this one, by the first Date that it sent. */
  aheadSeconds: number | undefined;
  /** Milliseconds that its first answer took. */
  firstMs: number | undefined;
  readonly #options: SocketsOptions;
  #pacer: Pacer;
  #hasAnswered = false;
  /** The longest time that an answer has taken, in milliseconds. */
  #slowestMs = 0;
  #timeouts = 0;
  readonly #opened = new Set<Connection>();
  readonly #idle: { readonly connection: Connection; readonly since: number }[] = [];
  readonly #waiting: (() => void)[] = [];
  #inUse = 0;
  #isClosed = false;

  /**
   * @throws {TargetNotOwnedError} `CS_KIT_TARGET_NOT_OWNED`: another machine that the user did not name as owned.
   */
  constructor(options: SocketsOptions) {
    const { url, clock, owned, deadlineMs } = options;
    checkOwned(url, owned);
    const isHere = isLocalName(hostOf(url));
    this.url = url;
    this.clock = clock;
    this.deadlineMs = deadlineMs;
    this.perSecond = options.perSecond ?? (isHere ? undefined : PER_SECOND);
    this.#options = options;
    this.#pacer = new Pacer(clock, this.perSecond);
  }

  /**
   * Sends one request over a kept connection, or over a new one; at most 4 at once.
   *
   * @throws {TargetSilentError} The target never answered, or the run has ended.
   * @throws {RunOverError} The run has sent all its requests.
   */
  async send(request: RawRequest): Promise<Received> {
    while (this.#inUse >= AT_ONCE)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    this.#inUse += 1;
    try {
      await this.pace();
      const connection = this.#kept();
      if (connection === undefined) return await this.#exchange(request, this.open());
      const received = await this.#exchange(request, connection);
      // The target may close an idle connection just when it is used again.
      if (received.failure !== "closed" || received.raw.length > 0) return received;
      const next = await this.#exchange(request, this.open());
      // Not a race: the target exited during this request.
      return next.failure === "unreachable" ? received : next;
    } finally {
      this.#inUse -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** Opens a connection for what `send` cannot do. Each request on it waits for `pace` first. */
  open(): Connection {
    // An interrupted run must not continue after its report.
    if (this.#isClosed) throw new TargetSilentError("the run has ended");
    const connection = new Connection(this.#options, () => this.#opened.delete(connection));
    this.#opened.add(connection);
    return connection;
  }

  /** @throws {RunOverError} The run has sent all its requests. */
  async pace(): Promise<void> {
    if (this.over !== undefined) throw new RunOverError(this.over);
    if (this.sent >= this.maxRequests)
      throw new RunOverError(`the run has sent ${this.sent} requests, the most that it may`);
    this.sent += 1;
    await this.#pacer.wait();
  }

  /** Pauses for a number of milliseconds, then sends at a lower rate: the target limits its rate. */
  slowDown(ms: number): void {
    this.#pacer.slowDown(ms);
  }

  /** Sends at the rate of the run's beginning again. */
  speedUp(): void {
    this.#pacer = new Pacer(this.clock, this.perSecond);
  }

  /** Returns the head of a request to this URL. `isKept`: the connection is to stay open. */
  head(request: RawRequest, isKept = false): Buffer {
    return headBytes(request, { url: this.url, isKept });
  }

  bytes(request: RawRequest, isKept = false): Buffer {
    return Buffer.concat([this.head(request, isKept), request.body]);
  }

  /**
   * Reads the answer to a request that was written to an opened connection.
   *
   * @param ms Default: the sockets's deadline.
   * @throws {TargetSilentError} The target never answered.
   */
  async read(connection: Connection, method: string, ms?: number): Promise<Received> {
    const { deadlineMs, maxBodyBytes } = this.#options;
    const isPatient = this.#timeouts < PATIENT_TIMEOUTS;
    const patienceMs = isPatient ? deadlineMs : this.soonMs(IMPATIENT_MS);
    const began = this.clock.elapsed();
    const received = await connection.read({ method, deadlineMs: ms ?? patienceMs, maxBodyBytes });
    if (received.failure === undefined) {
      this.#hasAnswered = true;
      const tookMs = this.clock.elapsed() - began;
      this.firstMs ??= tookMs;
      this.#slowestMs = Math.max(this.#slowestMs, tookMs);
      this.aheadSeconds ??= aheadBy(received, this.clock.now());
    } else if (received.failure === "timeout") this.#timeouts += 1;
    else if (received.failure === "unreachable" && !this.#hasAnswered)
      throw new TargetSilentError(`${this.url.host} cannot be reached: ${received.detail}`);
    return received;
  }

  /** Returns the time in which this target answers at once: more than `ms` if its answers have been slow. */
  soonMs(ms: number): number {
    return Math.min(this.deadlineMs, Math.max(ms, SLOWER * this.#slowestMs));
  }

  closeIdle(): void {
    for (const { connection } of this.#idle.splice(0)) connection.close();
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#opened) connection.close();
  }

  #kept(): Connection | undefined {
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
      const { connection, since } = one;
      if (connection.isOpen() && this.clock.elapsed() - since < IDLE_MS) return connection;
      connection.close();
    }
    return undefined;
  }

  async #exchange(request: RawRequest, connection: Connection): Promise<Received> {
    const isKept = request.version !== "1.0";
    connection.write(this.bytes(request, isKept));
    const received = await this.read(connection, request.method);
    // After a refusal, bytes of the body may be unread: only the checks of connections reuse it.
    const isClean = received.status !== undefined && received.status < 400;
    if (isKept && isClean && connection.isOpen())
      this.#idle.push({ connection, since: this.clock.elapsed() });
    else connection.close();
    return received;
  }
}

/** Milliseconds until the target has read all but the last byte. */
const GATHERING_MS = 30;
/** Milliseconds that a connection may take to be accepted while others are open. */
const ACCEPT_MS = 150;
/** Milliseconds for opening the connections of concurrent attempts. */
const OPENING_MS = 1000;

/** Sends requests at one moment: each over its own connection, which waits for the last byte. */
export async function sendTogether<T extends RawRequest>(
  sockets: Sockets,
  requests: readonly T[],
): Promise<ReadonlyMap<T, Received>> {
  const { clock } = sockets;
  const began = clock.elapsed();
  const opened: { readonly request: T; readonly connection: Connection }[] = [];
  for (let at = 0; at < requests.length; at += AT_ONCE) {
    const some = requests.slice(at, at + AT_ONCE).map((request) => {
      const connection = sockets.open();
      connection.write(sockets.bytes(request).subarray(0, -1));
      return { request, connection };
    });
    // A listen backlog takes a few at a time.
    const limitMs = at === 0 ? sockets.deadlineMs : ACCEPT_MS;
    const isReady = await new Promise<boolean>((resolve) => {
      const takeBack = clock.after(limitMs, () => resolve(false));
      void Promise.all(some.map(({ connection }) => connection.ready)).then(() => {
        takeBack();
        resolve(true);
      });
    });
    opened.push(...some.filter(({ connection }) => connection.isReady));
    for (const { connection } of some) if (!connection.isReady) connection.close();
    // The first connection must not reach the receiver's deadline.
    if (!isReady || clock.elapsed() - began > OPENING_MS) break;
    for (const _ of some) await sockets.pace();
  }
  await sleep(clock, GATHERING_MS);
  for (const { request, connection } of opened) connection.write(request.body.subarray(-1));
  const answers = opened.map(async ({ request, connection }) => {
    const received = await sockets.read(connection, request.method);
    connection.close();
    return [request, received] as const;
  });
  return new Map(await Promise.all(answers));
}

/** Milliseconds within which a supervisor restarts a target that exited. */
const REVIVAL_MS = [100, 400, 1500] as const;

/** True if the target answers at all, soon or after a restart. */
export async function isThere(
  sockets: Sockets,
  waits: readonly number[] = REVIVAL_MS,
): Promise<boolean> {
  for (const waitMs of waits) {
    // Not by GET, which some receivers never answer.
    const headers = [
      ["Content-Type", "application/json"],
      // A receiver that serves one connection at a time would wait for the next request.
      ["Connection", "close"],
    ] as const;
    const received = await sockets.send({ method: "POST", headers, body: Buffer.from("{}") });
    if (received.failure === undefined) return true;
    // A receiver that does not answer this in time hangs: more time changes nothing.
    if (received.failure === "timeout") return false;
    await sleep(sockets.clock, waitMs);
  }
  return false;
}

function aheadBy({ headers }: Received, now: number): number | undefined {
  const date = Date.parse(headers.find(([name]) => name === "date")?.[1] ?? "");
  // A Date has whole seconds, rounded down.
  return Number.isNaN(date) ? undefined : Math.round((date - now + 500) / 1000);
}
