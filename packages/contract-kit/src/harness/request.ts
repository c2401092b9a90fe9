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

/** In three chunks, the second of one byte. */
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
export function valueOf(headers: readonly Header[], name: string): string {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? "";
}

/** With the header's value changed in its place. */
export function withHeader(
  headers: readonly Header[],
  name: string | undefined,
  change: (value: string) => string,
): readonly Header[] {
  return headers.map((header) =>
    header[0].toLowerCase() === name ? [header[0], change(header[1])] : header,
  );
}

export function without(headers: readonly Header[], names: readonly string[]): readonly Header[] {
  return headers.filter(([name]) => !names.includes(name.toLowerCase()));
}

/** The encoded signature inside its header: base64 or hex of at least 20 bytes. */
const SIGNATURE = /[A-Za-z0-9+/]{38,}={0,2}/;

/** With only the encoded signature changed. */
export function withSignature(value: string, change: (signature: string) => string): string {
  return value.replace(SIGNATURE, (signature) => change(signature));
}
