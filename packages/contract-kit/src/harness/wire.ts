import type { Answer } from "./answer-reader.ts";
import { type Clock, systemClock, pacer } from "./clock.ts";
import { type Connection, openConnection, type Received } from "./connection.ts";
import { checkOwned, hostOf, isLocalName, type Lookup } from "./owned-host.ts";
import { headBytes, type RawRequest } from "./request.ts";

/** Nobody is there, nobody answers any more, or too slowly: nothing can be said of the target. */
export class TargetSilentError extends Error {}

/** Sends requests as bytes to one URL, and reads what comes back; never follows a redirect. */
export interface Wire {
  readonly url: URL;
  readonly clock: Clock;
  /** Milliseconds for one answer. */
  readonly deadlineMs: number;
  /**
   * One request over a connection of its own.
   *
   * @throws {TargetSilentError} Nobody has ever answered, or nobody does any more.
   */
  readonly send: (request: RawRequest) => Promise<Received>;
  /**
   * A connection for what `send` cannot do. A request on it waits for `pace` first.
   */
  readonly open: () => Connection;
  readonly pace: () => Promise<void>;
  /** Requests a second at most; `undefined`: no cap. */
  readonly perSecond: number | undefined;
  /** The head of a request to this URL; `isKept`: the connection is to stay. */
  readonly head: (request: RawRequest, isKept?: boolean) => Buffer;
  /**
   * The answer to a request that was written to an opened connection.
   *
   * @param deadlineMs Default: the wire's.
   * @throws {TargetSilentError} Nobody has ever answered.
   */
  readonly read: (connection: Connection, method: string, deadlineMs?: number) => Promise<Received>;
  /** Seconds by which the target's clock is ahead of this one, by the first Date that it sent. */
  readonly aheadSeconds: () => number | undefined;
  /** Ends every connection that is still open, and opens no other. */
  readonly close: () => void;
}

export interface WireOptions {
  readonly url: URL;
  /** The host that is one's own, where it is not this machine. */
  readonly owned?: string | undefined;
  readonly deadlineMs: number;
  /** Requests a second. Default: 50, and no cap to this machine. */
  readonly perSecond?: number | undefined;
  /** Milliseconds for all requests, from the first on. Default: 10 minutes. */
  readonly budgetMs?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly lookup?: Lookup | undefined;
}

const PER_SECOND = 50;
const BUDGET_MS = 600_000;
/** Answers in a row that did not come in time, after which nobody waits any more. */
const MAX_TIMEOUTS = 2;

/**
 * @throws {TargetNotOwnedError} `CS_KIT_TARGET_NOT_OWNED`: another machine, and not said to be one's own.
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
  let aheadSeconds: number | undefined;
  let beganAt: number | undefined;
  const opened = new Set<Connection>();
  let isClosed = false;
  const open = (): Connection => {
    // A run that was interrupted must not go on behind its report.
    if (isClosed) throw new TargetSilentError("the run has ended");
    beganAt ??= clock.now();
    // Who answers each attempt just in time would hold a run for hours.
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
  const note = (received: Received, before: number): void => {
    if (received.kind === "answer") {
      hasAnswered = true;
      aheadSeconds ??= aheadBy(received.answer, clock);
    }
    // Those of a batch that was sent at once are one time of waiting.
    timeouts = received.kind === "none" && received.why === "timeout" ? before + 1 : 0;
    if (received.kind === "none" && received.why === "unreachable" && !hasAnswered)
      throw new TargetSilentError(`${url.host} cannot be reached: ${received.detail}`);
  };
  const read: Wire["read"] = async (connection, method, ms = deadlineMs) => {
    const before = timeouts;
    const cap = maxBodyBytes === undefined ? {} : { maxBodyBytes };
    const received = await connection.read({ method, deadlineMs: ms, ...cap });
    note(received, before);
    return received;
  };
  const send = async (request: RawRequest): Promise<Received> => {
    if (timeouts >= MAX_TIMEOUTS)
      throw new TargetSilentError(
        `${url.host} left ${timeouts} attempts in a row without an answer in ${deadlineMs} ms`,
      );
    await pace();
    const connection = open();
    try {
      connection.write(Buffer.concat([head(request), request.body]));
      return await read(connection, request.method);
    } finally {
      connection.close();
    }
  };
  return {
    url,
    clock,
    deadlineMs,
    send,
    open,
    pace,
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

/** How far a Date is from now; `undefined` where there is none. */
function aheadBy({ headers }: Answer, clock: Clock): number | undefined {
  const date = Date.parse(headers.find(([name]) => name === "date")?.[1] ?? "");
  // A Date has whole seconds, cut off.
  return Number.isNaN(date) ? undefined : Math.round((date - clock.now() + 500) / 1000);
}
