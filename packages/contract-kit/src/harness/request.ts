export type Header = readonly [name: string, value: string];

/** A request as it goes over the wire. */
export interface RawRequest {
  readonly method: string;
  /** Sent as they stand, repeated ones too; characters beyond latin-1 are not for them. */
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
}

/**
 * The bytes before the body. What HTTP itself needs is added where the headers do not have it: Host,
 * Content-Length, and Connection of a request that wants no other after it.
 */
export function headBytes(
  { method, headers, body }: RawRequest,
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
  return Buffer.from(
    `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n`,
    "latin1",
  );
}

/** The value of a header; `""` where it is absent. */
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

/** With the encoded signature changed, and what stands around it left. */
export function withSignature(value: string, change: (signature: string) => string): string {
  return value.replace(SIGNATURE, (signature) => change(signature));
}
