import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** The bytes of a request, with the header lines unchanged. */
export function request(
  lines: readonly string[],
  body: Uint8Array = new Uint8Array(0),
  { method = "POST", target = "/webhooks", host = "localhost" } = {},
): Buffer {
  const head = [`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...lines, "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

/** Header lines of a record, with the length of a body. */
export const linesOf = (headers: Record<string, string>, body?: Uint8Array): string[] => [
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ...(body === undefined ? [] : [`Content-Length: ${String(body.length)}`]),
];

/** The HTTP chunk of some bytes (RFC 9112 section 7.1); without any, the last one. */
export const chunk = (bytes: Uint8Array = new Uint8Array(0)): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

export interface Reply {
  /** The final status; 0 if the connection ended without one. */
  readonly status: number;
  /** The interim ones (RFC 9110 section 15.2). */
  readonly interim: readonly number[];
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The way in which the server ended the connection. */
  readonly ended: "no" | "cleanly" | "reset";
}

/** Sends bytes on their own connection and waits for the whole answer and, if it is announced, the end. */
export async function exchange(port: number, ...parts: readonly Uint8Array[]): Promise<Reply> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: false });
  try {
    const reply = readReply(socket);
    for (const part of parts) socket.write(part);
    return await reply;
  } finally {
    socket.destroy();
  }
}

export function readReply(socket: Socket): Promise<Reply> {
  return new Promise((resolve) => {
    let received = "";
    const settle = (ended: Reply["ended"]): void => {
      socket.off("data", onData);
      const reply = parse(received, ended);
      resolve(reply ?? { status: 0, interim: [], headers: new Map(), body: "", ended });
    };
    const onData = (data: Buffer): void => {
      received += data.toString("latin1");
      const reply = parse(received, "no");
      if (reply !== undefined && reply.headers.get("connection")?.toLowerCase() !== "close")
        settle("no");
    };
    socket.on("data", onData);
    socket.once("end", () => settle("cleanly"));
    socket.once("error", () => settle("reset"));
    socket.once("close", () => settle("cleanly"));
  });
}

/** The answer that the text holds, once it is whole. */
function parse(text: string, ended: Reply["ended"]): Reply | undefined {
  const interim: number[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) return undefined;
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
    rest = rest.slice(end + 4);
    if (status >= 100 && status < 200) {
      interim.push(status);
      continue;
    }
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const length = headers.get("content-length");
    const chunked = headers.get("transfer-encoding") === "chunked";
    if (length !== undefined && rest.length < Number(length)) return undefined;
    if (chunked && !rest.endsWith("0\r\n\r\n")) return undefined;
    const body = length === undefined ? unchunked(rest, chunked) : rest.slice(0, Number(length));
    return { status, interim, headers, body, ended };
  }
}

/** Answers of the receiver are one chunk at most. */
const unchunked = (text: string, chunked: boolean): string =>
  chunked ? (/^[\da-f]+\r\n([\s\S]*?)\r\n0\r\n\r\n$/i.exec(text)?.[1] ?? "") : text;

export async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  await once(socket, "connect");
  return socket;
}

export const codeOf = ({ body }: Reply): unknown =>
  body === "" ? undefined : (JSON.parse(body) as { readonly code: unknown }).code;

/** Sends an attempt, with more header lines, on a separate connection. */
export const post = (
  port: number,
  { headers, body }: { readonly headers: Record<string, string>; readonly body: Uint8Array },
  ...lines: string[]
): Promise<Reply> => exchange(port, request([...linesOf(headers, body), ...lines], body));

/** Sends an attempt's head, expects to be asked for the body, and only then sends it. */
export async function postOnceAsked(
  port: number,
  { headers, body }: { readonly headers: Record<string, string>; readonly body: Uint8Array },
): Promise<Reply> {
  const socket = await open(port);
  socket.write(request([...linesOf(headers, body), "Expect: 100-continue"]));
  const [interim] = (await once(socket, "data")) as [Buffer];
  if (interim.toString() !== "HTTP/1.1 100 Continue\r\n\r\n") throw new Error(interim.toString());
  const reply = readReply(socket);
  socket.write(body);
  return reply.finally(() => socket.destroy());
}
