import { type IncomingMessage, request as startRequest } from "node:http";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { Clock } from "./clock.ts";
import {
  hostOf,
  isLocalName,
  type Lookup,
  loopbackLookup,
  TargetNotOwnedError,
} from "./owned-host.ts";

/** An answer, or the reason why none came. */
export interface Received {
  /** Absent if an answer came. `closed`: the target closed it without one; `garbled`: it is not an HTTP response. */
  readonly failure?: "unreachable" | "closed" | "timeout" | "garbled";
  /** The failure in words. */
  readonly detail: string;
  /** `undefined` if no answer came. */
  readonly status: number | undefined;
  /** Names in lower case, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The bytes as received: nothing is decompressed. */
  readonly body: Uint8Array;
  /** True if the connection may carry another request. */
  readonly isReusable: boolean;
  /** True if no header gives the body's length and the connection stays open. */
  readonly isEndless: boolean;
  /** All bytes that arrived. */
  readonly raw: Uint8Array;
}

/** The parts of an answer that are read. */
type Answer = Omit<Received, "failure" | "detail" | "raw">;

interface ReadOptions {
  readonly method: string;
  readonly deadlineMs: number;
  /** Largest part of a body that is read. Default 64 KiB. */
  readonly maxBodyBytes?: number | undefined;
}

const MAX_BODY_BYTES = 65_536;
const MAX_HEAD_BYTES = 32_768;
const MAX_INTERIM = 16;
/** Milliseconds without a further byte, after which an answer whose end nothing marks counts as whole. */
const ENDLESS_MS = 1000;
/** Limit of unread bytes: a target that sends more is cut off. */
const MAX_UNREAD_BYTES = 262_144;

export interface Reach {
  readonly url: URL;
  /** The host that the user owns, if it is not this machine. */
  readonly owned?: string | undefined;
  readonly clock: Clock;
  readonly lookup?: Lookup;
}

/** One connection to a target. Its methods never throw, whatever the target does; `read` says why it failed. */
export class Connection {
  /** Resolves when the connection is open or has failed. */
  readonly ready: Promise<void>;
  isReady = false;
  readonly #socket: Socket;
  readonly #clock: Clock;
  #unread: Buffer = Buffer.alloc(0);
  #failure: string | undefined;
  #isEnded = false;
  /** Called with each change; set while something waits for one. */
  #onChange: (() => void) | undefined;

  constructor({ url, owned, clock, lookup }: Reach, onClose: () => void) {
    const host = hostOf(url);
    const isSecure = url.protocol === "https:";
    const port = Number(url.port === "" ? (isSecure ? 443 : 80) : url.port);
    // A host that the user owns may be anywhere; `localhost` must resolve to this machine.
    const toThis = isLocalName(host) && owned?.toLowerCase() !== host;
    const where = { host, port, ...(toThis && { lookup: loopbackLookup(lookup) }) };
    // An address is not a server name (SNI).
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket: Socket = isSecure
      ? connectTls({ ...where, ...name, ALPNProtocols: ["http/1.1"] })
      : connectTcp(where);
    this.#socket = socket.setNoDelay(true);
    this.#clock = clock;
    socket.on("data", (chunk: Buffer) => {
      this.#unread = Buffer.concat([this.#unread, chunk]);
      this.#onChange?.();
      if (this.#onChange === undefined && this.#unread.length > MAX_UNREAD_BYTES)
        socket.destroy(new Error("a flood"));
    });
    socket.on("error", (error: Error & { code?: string }) => {
      const isForeign = error instanceof TargetNotOwnedError;
      this.#failure = isForeign ? error.message : (error.code ?? error.message);
    });
    socket.on("close", onClose);
    this.ready = new Promise((resolve) => {
      socket.on(isSecure ? "secureConnect" : "connect", () => {
        this.isReady = true;
        resolve();
      });
      const end = (): void => {
        this.#isEnded = true;
        resolve();
        this.#onChange?.();
      };
      socket.on("end", end).on("close", end);
    });
  }

  write(bytes: Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  read({ method, deadlineMs, maxBodyBytes }: ReadOptions): Promise<Received> {
    return new Promise((resolve) => {
      let isDone = false;
      let raw: Buffer = Buffer.alloc(0);
      const done = (received: Omit<Received, "raw">): void => {
        if (isDone) return;
        isDone = true;
        this.#onChange = undefined;
        takeBack();
        reader.destroy();
        // After a missed deadline, a late answer belongs to no request.
        if (!received.isReusable) this.close();
        resolve({ ...received, raw });
      };
      const fail = (failure: NonNullable<Received["failure"]>, detail: string): void =>
        done({ ...NO_ANSWER, failure, detail });
      const takeBack = this.#clock.after(deadlineMs, () => {
        // A starved process runs its timers before it reads the sockets.
        setImmediate(() => setImmediate(() => fail("timeout", `${deadlineMs} ms`)));
      });
      const reader = answerReader(
        { method, maxBodyBytes, clock: this.#clock },
        (answer) => done({ ...answer, detail: "" }),
        (detail) => fail("garbled", detail),
      );
      this.#onChange = () => {
        const news = this.#unread;
        this.#unread = Buffer.alloc(0);
        raw = Buffer.concat([raw, news]);
        if (news.length > 0) reader.push(news);
        if (!this.#isEnded) return;
        if (raw.length > 0) reader.push(null);
        else
          fail(
            this.isReady ? "closed" : "unreachable",
            this.#failure ?? "the connection is closed",
          );
      };
      this.#onChange();
    });
  }

  /** True if unread bytes exist, or arrive within a number of milliseconds. */
  hasBytesWithin(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#onChange = undefined;
        takeBack();
        resolve(this.#unread.length > 0);
      };
      const takeBack = this.#clock.after(ms, done);
      this.#onChange = done;
      if (this.#unread.length > 0 || this.#isEnded) done();
    });
  }

  /** Bytes that were written and have not left this process. */
  unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** True if bytes can still be written. */
  isOpen(): boolean {
    return this.#socket.writable && !this.#isEnded;
  }

  close(): void {
    this.#socket.destroy();
  }
}

/**
 * Reads one answer with Node's parser, from bytes that are pushed. The request that Node writes goes nowhere: its bytes
 * have been written to the connection.
 */
function answerReader(
  {
    method,
    maxBodyBytes = MAX_BODY_BYTES,
    clock,
  }: Pick<ReadOptions, "method" | "maxBodyBytes"> & Pick<Reach, "clock">,
  onAnswer: (answer: Answer) => void,
  onGarbled: (detail: string) => void,
): Duplex {
  const bytes = new Duplex({
    read: () => undefined,
    write: (_bytes, _encoding, done) => done(),
  });
  const request = startRequest({
    method,
    createConnection: () => bytes,
    maxHeaderSize: MAX_HEAD_BYTES,
  });
  const onError = (error: Error): void => onGarbled(error.message);
  const onResponse = (response: IncomingMessage): void => {
    const parts: Buffer[] = [];
    let size = 0;
    const end = (isEndless = false): void => {
      stopWaiting();
      const body = Buffer.concat(parts).subarray(0, maxBodyBytes);
      const reuse = isReusable(response, method);
      onAnswer({ ...headOf(response), body, isReusable: reuse, isEndless });
    };
    const wait = (): (() => void) =>
      hasEnd(response, method) || !isKept(response)
        ? () => undefined
        : clock.after(ENDLESS_MS, () => end(true));
    let stopWaiting = wait();
    response.on("data", (part: Buffer) => {
      stopWaiting();
      stopWaiting = wait();
      parts.push(part);
      size += part.length;
      if (size >= maxBodyBytes) end();
    });
    response.on("end", () => end()).on("error", onError);
  };
  let interim = 0;
  request.on("information", () => {
    interim += 1;
    if (interim > MAX_INTERIM) onGarbled("a flood of 1xx answers");
  });
  // An unrequested change of the protocol: the head is the answer.
  request.on("upgrade", (response) => onAnswer({ ...NO_ANSWER, ...headOf(response) }));
  request.on("response", onResponse).on("error", onError).end();
  bytes.on("error", onError);
  return bytes;
}

const NO_ANSWER: Answer = {
  status: undefined,
  headers: [],
  body: Buffer.alloc(0),
  isReusable: false,
  isEndless: false,
};

function headOf({ statusCode, rawHeaders }: IncomingMessage): Pick<Answer, "status" | "headers"> {
  const headers = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? ""] as const] : [],
  );
  return { status: statusCode, headers };
}

/** True if the body ends before the connection does, and the target keeps it open. */
function isReusable(response: IncomingMessage, method: string): boolean {
  return response.complete && isKept(response) && hasEnd(response, method);
}

function isKept({ headers: { connection = "" }, httpVersion }: IncomingMessage): boolean {
  return httpVersion === "1.1"
    ? !/\bclose\b/i.test(connection)
    : /\bkeep-alive\b/i.test(connection);
}

/** True if something other than the connection's end says where the body ends. */
function hasEnd({ statusCode = 0, headers }: IncomingMessage, method: string): boolean {
  const { "content-length": length, "transfer-encoding": coding } = headers;
  const isBare = method === "HEAD" || statusCode === 204 || statusCode === 304;
  return isBare || length !== undefined || coding !== undefined;
}
