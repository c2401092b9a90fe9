import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Answer, answerReader, GarbledAnswerError } from "./answer-reader.ts";
import type { Clock } from "./clock.ts";
import {
  hostOf,
  isLocalName,
  isLoopback,
  type Lookup,
  loopbackLookup,
  TargetNotOwnedError,
} from "./owned-host.ts";

/** The result of one request. */
export type Received =
  | { readonly kind: "answer"; readonly answer: Answer; readonly raw: Uint8Array }
  | {
      readonly kind: "none";
      /** `closed`: the target closed it without a response; `garbled`: not an HTTP response. */
      readonly why: "unreachable" | "closed" | "timeout" | "garbled";
      readonly detail: string;
      /** The bytes that arrived nevertheless. */
      readonly raw: Uint8Array;
    };

interface ReadOptions {
  readonly method: string;
  /** Milliseconds for the whole answer. */
  readonly deadlineMs: number;
  readonly maxBodyBytes?: number;
}

/** One connection to a target. Its methods never throw, whatever the target does. */
export interface Connection {
  readonly write: (bytes: Uint8Array) => void;
  /** The next answer. */
  readonly read: (options: ReadOptions) => Promise<Received>;
  /** Settles when the connection is open or has failed. */
  readonly ready: Promise<void>;
  /** True if it is open. */
  readonly isReady: () => boolean;
  /** True if unread bytes exist, or arrive within a number of milliseconds. */
  readonly hears: (ms: number) => Promise<boolean>;
  /** True if bytes can still be written. */
  readonly isOpen: () => boolean;
  readonly close: () => void;
}

export interface ConnectOptions {
  readonly url: URL;
  /** The host that the user owns, if it is not this machine. */
  readonly owned: string | undefined;
  readonly clock: Clock;
  readonly lookup?: Lookup | undefined;
  readonly onClose?: () => void;
}

/** Limit of unread bytes: a target that sends more is cut off. */
const MAX_UNREAD_BYTES = 262_144;

/** Opens a connection; if that fails, each `read` says why. */
export function openConnection(options: ConnectOptions): Connection {
  const { url, owned, clock, lookup, onClose } = options;
  const host = hostOf(url);
  const isLocal = isLocalName(host);
  const isSecure = url.protocol === "https:";
  const port = Number(url.port === "" ? (isSecure ? 443 : 80) : url.port);
  // A host that the user owns may be anywhere; `localhost` must resolve to this machine.
  const toThis = isLocal && owned?.toLowerCase() !== host;
  const where = { host, port, ...(toThis && { lookup: loopbackLookup(lookup) }) };
  const socket: Socket = isSecure
    ? connectTls({
        ...where,
        // An address is not a server name (SNI).
        ...(isIP(host) === 0 && { servername: host }),
        ALPNProtocols: ["http/1.1"],
      })
    : connectTcp(where);
  socket.setNoDelay(true);

  /** Unread bytes. */
  const unread: Buffer[] = [];
  let failure: string | undefined;
  let isConnected = false;
  let isEnded = false;
  let tellReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    tellReady = resolve;
  });
  let stir = (): void => undefined;
  socket.on(isSecure ? "secureConnect" : "connect", () => {
    if (toThis && !isLoopback(socket.remoteAddress ?? "")) {
      socket.destroy(new TargetNotOwnedError("the connection leads to another machine"));
      return;
    }
    isConnected = true;
    tellReady();
  });
  socket.on("data", (chunk: Buffer) => {
    unread.push(chunk);
    stir();
    const waiting = unread.reduce((sum, { length }) => sum + length, 0);
    if (waiting > MAX_UNREAD_BYTES) socket.destroy(new Error("a flood"));
  });
  socket.on("error", (error: Error & { code?: string }) => {
    failure = error instanceof TargetNotOwnedError ? error.message : (error.code ?? error.message);
  });
  if (onClose !== undefined) socket.on("close", onClose);
  for (const event of ["end", "close"] as const) {
    socket.on(event, () => {
      isEnded = true;
      tellReady();
      stir();
    });
  }

  const read = ({ method, deadlineMs, maxBodyBytes }: ReadOptions): Promise<Received> =>
    new Promise((resolve) => {
      const reader = answerReader(method, maxBodyBytes);
      const raw: Uint8Array[] = [];
      let isSettled = false;
      const none = (
        why: Exclude<Received, { kind: "answer" }>["why"],
        detail: string,
      ): Received => ({ kind: "none", why, detail, raw: Buffer.concat(raw) });
      const settle = (received: Received): void => {
        isSettled = true;
        stir = (): void => undefined;
        takeBack();
        // After a missed deadline, a late answer belongs to no request.
        if (received.kind === "none") socket.destroy();
        resolve(received);
      };
      const feed = (bytes: Uint8Array): Answer | undefined => {
        raw.push(bytes);
        return reader.push(bytes);
      };
      const advance = (): void => {
        try {
          let answer: Answer | undefined;
          while (answer === undefined && unread.length > 0)
            answer = feed(unread.shift() ?? Buffer.alloc(0));
          if (answer === undefined && isEnded && isConnected) answer = reader.end();
          if (answer !== undefined) {
            // The beginning of the next answer.
            const rest = Buffer.from(reader.rest());
            if (rest.length > 0) unread.unshift(rest);
            const whole = Buffer.concat(raw);
            const own = whole.subarray(0, whole.length - rest.length);
            if (!answer.isReusable) socket.destroy();
            settle({ kind: "answer", answer, raw: own });
          } else if (isEnded) {
            settle(none("unreachable", failure ?? "no connection"));
          }
        } catch (error) {
          if (!(error instanceof GarbledAnswerError)) throw error;
          const isEmpty = raw.every(({ length }) => length === 0);
          settle(isEmpty ? none("closed", failure ?? "closed") : none("garbled", error.message));
        }
      };
      const takeBack = clock.after(deadlineMs, () => {
        // A starved process runs its timers before it reads the sockets.
        setImmediate(() =>
          setImmediate(() => {
            if (!isSettled) settle(none("timeout", `${deadlineMs} ms`));
          }),
        );
      });
      stir = advance;
      advance();
    });

  return {
    write: (bytes) => {
      if (socket.writable) socket.write(bytes);
    },
    read,
    ready,
    isReady: () => isConnected,
    hears: (ms) =>
      new Promise((resolve) => {
        const settle = (): void => {
          stir = (): void => undefined;
          takeBack();
          resolve(unread.length > 0);
        };
        const takeBack = clock.after(ms, settle);
        stir = settle;
        if (unread.length > 0 || isEnded) settle();
      }),
    isOpen: () => socket.writable && !isEnded,
    close: () => socket.destroy(),
  };
}
