import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Secret } from "@countersign/signatures";
import { type Exchange, shownBytes } from "../exchange-text.ts";
import { redactor } from "../redact.ts";
import { retryAfterMs } from "../values.ts";
import type { Received } from "./connection.ts";

export type Header = readonly [name: string, value: string];

/** A request as it is sent. */
export interface RawRequest {
  readonly method: string;
  /** Sent unchanged, repeated ones too; characters beyond latin-1 are not allowed. */
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  /** Path and query. Default: the URL's. */
  readonly path?: string;
  /** Default: 1.1. */
  readonly version?: "1.0" | "1.1";
}

/**
 * The bytes before the body. What HTTP itself needs is added if the headers lack it: Host, Content-Length, and
 * Connection of a request after which the connection is closed.
 */
export function headBytes(
  { method, headers, body, path, version = "1.1" }: RawRequest,
  { url, isKept }: { readonly url: URL; readonly isKept: boolean },
): Buffer {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const isFramed = names.has("content-length") || names.has("transfer-encoding");
  const hasBody = body.length > 0 || method === "POST";
  const own: readonly Header[] = [
    ...(names.has("host") ? [] : [["Host", url.host] as const]),
    ...(isFramed || !hasBody ? [] : [["Content-Length", String(body.length)] as const]),
    ...(isKept || names.has("connection") ? [] : [["Connection", "close"] as const]),
  ];
  const lines = [...own, ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  const target = path ?? `${url.pathname}${url.search}`;
  return Buffer.from(`${method} ${target} HTTP/${version}\r\n${lines.join("")}\r\n`, "latin1");
}

/** Codings of a body that receivers may decode. */
export const codings: readonly (readonly [coding: string, encode: (body: Uint8Array) => Buffer])[] =
  [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ];

type Recast = (request: RawRequest) => RawRequest;

const named =
  (change: (name: string) => string): Recast =>
  ({ headers, ...request }) => ({
    ...request,
    headers: headers.map(([name, value]): Header => [change(name), value]),
  });

/** Forms of HTTP that carry the same attempt. */
export const transports: Readonly<Record<string, Recast>> = {
  "in chunks": ({ headers, body, ...request }) => ({
    ...request,
    headers: [...headers, ["Transfer-Encoding", "chunked"]],
    body: chunked(body),
  }),
  "with header names in lower case": named((name) => name.toLowerCase()),
  "with header names in capitals": named((name) => name.toUpperCase()),
  "with spaces around header values": ({ headers, ...request }) => ({
    ...request,
    headers: headers.map(([name, value]): Header => [name, `  ${value} \t`]),
  }),
  "over HTTP/1.0": (request) => ({ ...request, version: "1.0" }),
};

function chunked(body: Uint8Array): Buffer {
  const middle = body.length >> 1;
  const parts = [
    body.subarray(0, middle),
    body.subarray(middle, middle + 1),
    body.subarray(middle + 1),
  ];
  const framed = parts
    .filter(({ length }) => length > 0)
    .flatMap((part) => [`${part.length.toString(16)}\r\n`, part, "\r\n"]);
  return Buffer.concat([...framed, "0\r\n\r\n"].map((one) => Buffer.from(one)));
}

/** The value of a header; `""` if it is absent. */
export function headerValue(headers: readonly Header[], name: string): string {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? "";
}

export function without(headers: readonly Header[], names: readonly string[]): readonly Header[] {
  return headers.filter(([name]) => !names.includes(name.toLowerCase()));
}

/** An answer as the checks judge it, or the reason why none came. */
export class Reply {
  /** The reason if no answer came. */
  readonly failure: Received["failure"];
  /** `undefined` if no answer came. */
  readonly status: number | undefined;
  /** Names in lower case, in their order. */
  readonly headers: readonly Header[];
  /** True if no header gives the body's length and the connection stays open. */
  readonly isEndless: boolean;
  /** True if the sender counts it as delivered. */
  readonly isAcknowledged: boolean;
  /** The status, or the reason if it has none: for messages. */
  readonly summary: string;
  readonly text: string;
  /** Both sides as text, without a secret. */
  readonly exchange: () => Exchange;

  constructor(
    sent: Uint8Array,
    { failure, detail, status, headers, body, isEndless, raw }: Received,
    {
      provider,
      secrets,
    }: { readonly provider: ProviderDocument; readonly secrets: readonly Secret[] },
  ) {
    this.failure = failure;
    this.status = status;
    this.headers = headers;
    this.isEndless = isEndless;
    this.isAcknowledged =
      status !== undefined &&
      (provider.sending?.success === "200" ? status === 200 : status >= 200 && status < 300);
    this.summary = failure === undefined ? String(status) : failures[failure](detail);
    this.text = Buffer.from(body).toString();
    this.exchange = () => {
      // If a receiver leaks its secret, the report must not. Every byte is a character of latin-1.
      const received = redactor(secrets)(Buffer.from(raw).toString("latin1"));
      return { sent: shownBytes(sent), received: shownBytes(Buffer.from(received, "latin1")) };
    };
  }

  /** @param expected A clause such as "expected a refusal". */
  insteadOf(expected: string): string {
    return `${expected}, got ${this.summary}`;
  }

  /** The first header of that name in lower case. */
  header(name: string): string | undefined {
    return this.headers.find((one) => one[0] === name)?.[1];
  }

  /** The wait of its Retry-After (a number or a date) in milliseconds. */
  retryAfterMs(now: number): number | undefined {
    return retryAfterMs(this.header("retry-after") ?? "", now);
  }

  /** True if the event may be in progress elsewhere. */
  get isInProgress(): boolean {
    return this.isBusy || this.status === 409;
  }

  /** True if the receiver says that it is busy: its sender retries. */
  get isBusy(): boolean {
    return this.status === 503 || this.status === 429;
  }
}

const failures: Readonly<Record<NonNullable<Received["failure"]>, (detail: string) => string>> = {
  closed: () => "a closed connection",
  garbled: (detail) => `no answer of HTTP (${detail})`,
  timeout: (detail) => `no answer within ${detail}`,
  unreachable: (detail) => `no connection (${detail})`,
};
