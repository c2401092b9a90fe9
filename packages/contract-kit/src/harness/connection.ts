import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Answer, GarbledAnswerError, readAnswer } from "./answer-reader.ts";
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
  | Unanswered;

export interface Unanswered {
  readonly kind: "none";
  /** `closed`: the target closed it without a response; `garbled`: not an HTTP response. */
  readonly why: "unreachable" | "closed" | "timeout" | "garbled";
  readonly detail: string;
  /** The bytes that arrived nevertheless. */
  readonly raw: Uint8Array;
}

interface ReadOptions {
  readonly method: string;
  /** Milliseconds for the whole answer. */
  readonly deadlineMs: number;
  readonly maxBodyBytes?: number | undefined;
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
  readonly hasBytesWithin: (ms: number) => Promise<boolean>;
  /** Bytes that were written and have not left this process. */
  readonly unsentBytes: () => number;
  /** True if bytes can still be written. */
  readonly isOpen: () => boolean;
  readonly close: () => void;
}

/** Where a target is, and how it may be reached. */
export interface Reach {
  readonly url: URL;
  /** The host that the user owns, if it is not this machine. */
  readonly owned?: string | undefined;
  readonly clock: Clock;
  readonly lookup?: Lookup;
}

/** Limit of unread bytes: a target that sends more is cut off. */
const MAX_UNREAD_BYTES = 262_144;

/** Opens a connection; if that fails, each `read` says why. */
export function openConnection(
  { url, owned, clock, lookup }: Reach,
  onClose: () => void,
): Connection {
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

  let unread: Buffer = Buffer.alloc(0);
  let failure: string | undefined;
  let isConnected = false;
  let isEnded = false;
  let markReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    markReady = resolve;
  });
  /** Called with each change; set while something waits for one. */
  let onChange: (() => void) | undefined;
  socket.on(isSecure ? "secureConnect" : "connect", () => {
    if (toThis && !isLoopback(socket.remoteAddress ?? "")) {
      socket.destroy(new TargetNotOwnedError("the connection leads to another machine"));
      return;
    }
    isConnected = true;
    markReady();
  });
  socket.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    onChange?.();
    if (onChange === undefined && unread.length > MAX_UNREAD_BYTES)
      socket.destroy(new Error("a flood"));
  });
  socket.on("error", (error: Error & { code?: string }) => {
    failure = error instanceof TargetNotOwnedError ? error.message : (error.code ?? error.message);
  });
  socket.on("close", onClose);
  for (const event of ["end", "close"] as const) {
    socket.on(event, () => {
      isEnded = true;
      markReady();
      onChange?.();
    });
  }

  const read = ({ method, deadlineMs, maxBodyBytes }: ReadOptions): Promise<Received> =>
    new Promise((resolve) => {
      let isSettled = false;
      const settle = (received: Received): void => {
        isSettled = true;
        onChange = undefined;
        takeBack();
        unread = unread.subarray(received.raw.length);
        // After a missed deadline, a late answer belongs to no request.
        if (received.kind === "none" || !received.answer.isReusable) socket.destroy();
        resolve(received);
      };
      const none = (why: Unanswered["why"], detail: string): void =>
        settle({ kind: "none", why, detail, raw: unread });
      const takeBack = clock.after(deadlineMs, () => {
        // A starved process runs its timers before it reads the sockets.
        setImmediate(() =>
          setImmediate(() => {
            if (!isSettled) none("timeout", `${deadlineMs} ms`);
          }),
        );
      });
      onChange = () => {
        if (isEnded && !isConnected) return none("unreachable", failure ?? "no connection");
        if (isEnded && unread.length === 0) return none("closed", failure ?? "closed");
        try {
          const found = readAnswer(unread, { method, isEnded, maxBodyBytes });
          return found && settle({ kind: "answer", ...found });
        } catch (error) {
          if (!(error instanceof GarbledAnswerError)) throw error;
          return none("garbled", error.message);
        }
      };
      onChange();
    });

  return {
    write: (bytes) => {
      if (socket.writable) socket.write(bytes);
    },
    read,
    ready,
    isReady: () => isConnected,
    hasBytesWithin: (ms) =>
      new Promise((resolve) => {
        const settle = (): void => {
          onChange = undefined;
          takeBack();
          resolve(unread.length > 0);
        };
        const takeBack = clock.after(ms, settle);
        onChange = settle;
        if (unread.length > 0 || isEnded) settle();
      }),
    unsentBytes: () => socket.writableLength,
    isOpen: () => socket.writable && !isEnded,
    close: () => socket.destroy(),
  };
}
