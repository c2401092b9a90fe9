import type { Answer } from "./answer-reader.ts";
import { type Clock, pacer, sleep, systemClock } from "./clock.ts";
import { type Connection, openConnection, type Received } from "./connection.ts";
import { checkOwned, hostOf, isLocalName, type Lookup } from "./owned-host.ts";
import { headBytes, type RawRequest } from "./message.ts";

/** No target answers, or it is too slow: nothing can be verified. */
export class TargetSilentError extends Error {}

/** Sends requests as bytes to one URL, and reads the answers; never follows a redirect. */
export interface Wire {
  readonly url: URL;
  readonly clock: Clock;
  /** Milliseconds for one answer. */
  readonly deadlineMs: number;
  /**
   * Sends one request over a kept connection, or over a new one; at most 4 at once.
   *
   * @throws {TargetSilentError} The target never answered, the run has ended, or its time is over.
   */
  readonly send: (request: RawRequest) => Promise<Received>;
  /** Opens a connection for what `send` cannot do. Each request on it waits for `pace` first. */
  readonly open: () => Connection;
  readonly pace: () => Promise<void>;
  /** Pauses for a number of milliseconds, then sends at a lower rate: the target limits its rate. */
  readonly slowDown: (ms: number) => void;
  /** Maximum requests per second; `undefined`: no limit. */
  readonly perSecond: number | undefined;
  /** The head of a request to this URL; `isKept`: the connection is to stay open. */
  readonly head: (request: RawRequest, isKept?: boolean) => Buffer;
  /**
   * Reads the answer to a request that was written to an opened connection.
   *
   * @param deadlineMs Default: the wire's.
   * @throws {TargetSilentError} The target never answered.
   */
  readonly read: (connection: Connection, method: string, deadlineMs?: number) => Promise<Received>;
  /** Requests that were sent so far. */
  readonly sent: () => number;
  /** Seconds by which the target's clock is ahead of this one, by the first Date that it sent. */
  readonly aheadSeconds: () => number | undefined;
  /** Closes all open connections, and opens no more. */
  readonly close: () => void;
}

export interface WireOptions {
  readonly url: URL;
  /** The host that the user owns, if it is not this machine. */
  readonly owned?: string | undefined;
  readonly deadlineMs: number;
  /** Maximum requests per second. Default: 50, unlimited for this machine. */
  readonly perSecond?: number | undefined;
  /** Milliseconds for all requests, from the first one. Default: 10 minutes. */
  readonly budgetMs?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly lookup?: Lookup | undefined;
}

const PER_SECOND = 50;
const BUDGET_MS = 600_000;
/** Concurrent connections, as senders have a few for each receiver. */
const AT_ONCE = 4;
/** Milliseconds that a connection is kept without a request: servers close theirs after two seconds or five. */
const IDLE_MS = 1000;
/** Timeouts after which a target that answers others at once is given less time. */
const PATIENT_TIMEOUTS = 2;
const IMPATIENT_MS = 3000;

/**
 * @throws {TargetNotOwnedError} `CS_KIT_TARGET_NOT_OWNED`: another machine that the user did not name as owned.
 */
export function openWire(options: WireOptions): Wire {
  const { url, owned, deadlineMs, maxBodyBytes, clock = systemClock, lookup } = options;
  const { budgetMs = BUDGET_MS } = options;
  checkOwned(url, owned);
  const isHere = isLocalName(hostOf(url));
  const perSecond = options.perSecond ?? (isHere ? undefined : PER_SECOND);
  const pace = pacer(clock, perSecond);
  let hasAnswered = false;
  let timeouts = 0;
  let sent = 0;
  const paced = async (): Promise<void> => {
    sent += 1;
    await pace.wait();
  };
  let aheadSeconds: number | undefined;
  let beganAt: number | undefined;
  const opened = new Set<Connection>();
  const idle: { readonly connection: Connection; readonly since: number }[] = [];
  const waiting: (() => void)[] = [];
  let inUse = 0;
  let isClosed = false;
  const open = (): Connection => {
    // An interrupted run must not continue after its report.
    if (isClosed) throw new TargetSilentError("the run has ended");
    beganAt ??= clock.now();
    // A target that answers each attempt just in time would keep a run for hours.
    if (clock.now() - beganAt > budgetMs)
      throw new TargetSilentError(
        `${url.host} answers too slowly: its attempts have taken ${budgetMs} ms in all`,
      );
    const connection = openConnection({
      url,
      owned,
      clock,
      lookup,
      onClose: () => opened.delete(connection),
    });
    opened.add(connection);
    return connection;
  };
  const head: Wire["head"] = (request, isKept = false) => headBytes(request, { url, isKept });
  const note = (received: Received): void => {
    if (received.kind === "answer") {
      hasAnswered = true;
      aheadSeconds ??= aheadBy(received.answer, clock);
    } else if (received.why === "timeout") timeouts += 1;
    else if (received.why === "unreachable" && !hasAnswered)
      throw new TargetSilentError(`${url.host} cannot be reached: ${received.detail}`);
  };
  const read: Wire["read"] = async (connection, method, ms) => {
    const patience = timeouts < PATIENT_TIMEOUTS ? deadlineMs : Math.min(deadlineMs, IMPATIENT_MS);
    const received = await connection.read({ method, deadlineMs: ms ?? patience, maxBodyBytes });
    note(received);
    return received;
  };
  const kept = (): Connection | undefined => {
    for (let one = idle.pop(); one !== undefined; one = idle.pop()) {
      if (one.connection.isOpen() && clock.now() - one.since < IDLE_MS) return one.connection;
      one.connection.close();
    }
    return undefined;
  };
  const exchange = async (request: RawRequest, connection: Connection): Promise<Received> => {
    const isKept = request.version !== "1.0";
    connection.write(Buffer.concat([head(request, isKept), request.body]));
    const received = await read(connection, request.method);
    // After a refusal, bytes of the body may be unread: only the checks of connections reuse it.
    const isClean = received.kind === "answer" && received.answer.status < 400;
    if (isKept && isClean && connection.isOpen()) idle.push({ connection, since: clock.now() });
    else connection.close();
    return received;
  };
  const isFull = (): boolean => inUse >= AT_ONCE;
  const send = async (request: RawRequest): Promise<Received> => {
    while (isFull())
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    inUse += 1;
    try {
      await paced();
      const connection = kept();
      if (connection === undefined) return await exchange(request, open());
      const received = await exchange(request, connection);
      // The target may close an idle connection just when it is used again.
      const isRace =
        received.kind === "none" && received.why === "closed" && received.raw.length === 0;
      if (!isRace) return received;
      const next = await exchange(request, open());
      // Not a race: the target exited during this request.
      return next.kind === "none" && next.why === "unreachable" ? received : next;
    } finally {
      inUse -= 1;
      waiting.shift()?.();
    }
  };
  return {
    url,
    clock,
    deadlineMs,
    send,
    open,
    pace: paced,
    sent: () => sent,
    slowDown: pace.slowDown,
    perSecond,
    head,
    read,
    aheadSeconds: () => aheadSeconds,
    close: () => {
      isClosed = true;
      for (const connection of opened) connection.close();
    },
  };
}

/** Milliseconds until the target has read all but the last byte. */
const GATHERING_MS = 30;
/** Milliseconds that a connection may take to be accepted while others are open. */
const ACCEPT_MS = 150;
/** Milliseconds for opening the connections of concurrent attempts. */
const OPENING_MS = 1000;

/** Sends requests at one moment: each over its own connection, which waits for the last byte. */
export async function sendTogether<T extends RawRequest>(
  wire: Wire,
  requests: readonly T[],
): Promise<ReadonlyMap<T, Received>> {
  const { clock } = wire;
  const began = clock.now();
  const opened: { readonly request: T; readonly connection: Connection }[] = [];
  for (let at = 0; at < requests.length; at += AT_ONCE) {
    const some = requests.slice(at, at + AT_ONCE).map((request) => {
      const connection = wire.open();
      connection.write(Buffer.concat([wire.head(request), request.body]).subarray(0, -1));
      return { request, connection };
    });
    // A listen backlog takes a few at a time.
    const limitMs = at === 0 ? wire.deadlineMs : ACCEPT_MS;
    const isReady = await new Promise<boolean>((resolve) => {
      const takeBack = clock.after(limitMs, () => resolve(false));
      void Promise.all(some.map(({ connection }) => connection.ready)).then(() => {
        takeBack();
        resolve(true);
      });
    });
    opened.push(...some.filter(({ connection }) => connection.isReady()));
    for (const { connection } of some) if (!connection.isReady()) connection.close();
    // The first connection must not reach the receiver's deadline.
    if (!isReady || clock.now() - began > OPENING_MS) break;
    for (const _ of some) await wire.pace();
  }
  await sleep(clock, GATHERING_MS);
  for (const { request, connection } of opened) connection.write(request.body.subarray(-1));
  return new Map(
    await Promise.all(
      opened.map(async ({ request, connection }) => {
        const received = await wire.read(connection, request.method);
        connection.close();
        return [request, received] as const;
      }),
    ),
  );
}

/** Milliseconds within which a supervisor restarts a target that exited. */
const REVIVAL_MS = [100, 400, 1500] as const;

/** True if the target answers at all, soon or after a restart. */
export async function isThere(wire: Wire, waits: readonly number[] = REVIVAL_MS): Promise<boolean> {
  for (const waitMs of waits) {
    const received = await wire.send({ method: "GET", headers: [], body: Buffer.alloc(0) });
    if (received.kind === "answer") return true;
    // A receiver that does not answer this in time hangs: more time changes nothing.
    if (received.why === "timeout") return false;
    await sleep(wire.clock, waitMs);
  }
  return false;
}

function aheadBy({ headers }: Answer, clock: Clock): number | undefined {
  const date = Date.parse(headers.find(([name]) => name === "date")?.[1] ?? "");
  // A Date has whole seconds, rounded down.
  return Number.isNaN(date) ? undefined : Math.round((date - clock.now() + 500) / 1000);
}
