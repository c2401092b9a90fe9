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

/** What came back of one request. */
export type Received =
  | { readonly kind: "answer"; readonly answer: Answer; readonly raw: Uint8Array }
  | {
      readonly kind: "none";
      /** `closed` by the target without an answer, `garbled`: what came is none. */
      readonly why: "unreachable" | "closed" | "timeout" | "garbled";
      readonly detail: string;
      /** What came of it all the same. */
      readonly raw: Uint8Array;
    };

export interface ReadOptions {
  readonly method: string;
  /** Milliseconds for the whole answer, however it trickles. */
  readonly deadlineMs: number;
  readonly maxBodyBytes?: number;
}

/** One connection to a target. Nothing of it ever throws, whatever the target does. */
export interface Connection {
  readonly write: (bytes: Uint8Array) => void;
  /** The next answer. */
  readonly read: (options: ReadOptions) => Promise<Received>;
  /** Settles when it is there, or is not going to be. */
  readonly ready: Promise<void>;
  /** Whether anything comes within so many milliseconds, or has come and was not read. */
  readonly hears: (ms: number) => Promise<boolean>;
  /** Whether bytes can still be written. */
  readonly isOpen: () => boolean;
  readonly close: () => void;
}

export interface ConnectOptions {
  readonly url: URL;
  /** The host that is one's own, where it is not this machine. */
  readonly owned: string | undefined;
  readonly clock: Clock;
  readonly lookup?: Lookup | undefined;
  readonly onClose?: () => void;
}

/** More than any answer that is read: a target that floods is cut off. */
const MAX_RAW_BYTES = 8 * 1_048_576;

/** Opens a connection; where there is none, each `read` says why. */
export function openConnection(options: ConnectOptions): Connection {
  const { url, owned, clock, lookup, onClose } = options;
  const host = hostOf(url);
  const isLocal = isLocalName(host);
  const isSecure = url.protocol === "https:";
  const port = Number(url.port === "" ? (isSecure ? 443 : 80) : url.port);
  // What was said to be one's own may be anywhere; `localhost` is believed only where it is.
  const toThis = isLocal && owned?.toLowerCase() !== host;
  const where = { host, port, ...(toThis && { lookup: loopbackLookup(lookup) }) };
  const socket: Socket = isSecure
    ? connectTls({
        ...where,
        // A number is no name of a server.
        ...(isIP(host) === 0 && { servername: host }),
        ALPNProtocols: ["http/1.1"],
      })
    : connectTcp(where);
  socket.setNoDelay(true);

  const chunks: Buffer[] = [];
  let size = 0;
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
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_RAW_BYTES) socket.destroy(new Error("a flood"));
    stir();
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

  let rest: Uint8Array = new Uint8Array();
  let seen = 0;
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
        // A deadline that was missed leaves an answer behind that is nobody's.
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
          if (rest.length > 0) {
            const before = rest;
            rest = new Uint8Array();
            answer = feed(before);
          }
          while (answer === undefined && seen < chunks.length)
            answer = feed(chunks[seen++] ?? Buffer.alloc(0));
          if (answer === undefined && isEnded && isConnected) answer = reader.end();
          if (answer !== undefined) {
            rest = reader.rest();
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
        // A process that was starved meets its timers before what the sockets have brought meanwhile.
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
    hears: (ms) =>
      new Promise((resolve) => {
        const hasUnread = (): boolean => seen < chunks.length || rest.length > 0;
        const settle = (): void => {
          stir = (): void => undefined;
          takeBack();
          resolve(hasUnread());
        };
        const takeBack = clock.after(ms, settle);
        stir = settle;
        if (hasUnread() || isEnded) settle();
      }),
    isOpen: () => socket.writable && !isEnded,
    close: () => socket.destroy(),
  };
}
