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
  /** 0 if the connection ended without a whole answer. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** All that arrived, also interim answers (RFC 9110 section 15.2). */
  readonly received: string;
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
    let received = Buffer.alloc(0);
    const settle = (ended: Reply["ended"]): void => {
      socket.off("data", onData);
      const { status = 0, headers = new Map(), body = "" } = answerIn(received) ?? {};
      resolve({ status, headers, body, received: String(received), ended });
    };
    const onData = (data: Buffer): void => {
      received = Buffer.concat([received, data]);
      if (answerIn(received)?.isReusable === true) settle("no");
    };
    socket.on("data", onData);
    socket.once("end", () => settle("cleanly"));
    socket.once("error", () => settle("reset"));
    socket.once("close", () => settle("cleanly"));
  });
}

/** Returns the first answer that is not an interim one, once all of it has arrived. */
function answerIn(received: Buffer):
  | {
      readonly status: number;
      readonly headers: Reply["headers"];
      readonly body: string;
      readonly isReusable: boolean;
    }
  | undefined {
  const [head = "", ...parts] = received.toString("latin1").split("\r\n\r\n");
  if (parts.length === 0) return undefined;
  const rest = received.subarray(head.length + 4);
  const [start = "", ...lines] = head.split("\r\n");
  const status = Number(start.split(" ")[1]);
  if (status < 200) return answerIn(rest);
  const headers = new Map(
    lines.map((line): [string, string] => {
      const [, name = "", value = ""] = /^([^:]*):\s*(.*?)\s*$/.exec(line) ?? [];
      return [name.toLowerCase(), value];
    }),
  );
  const body = bodyIn(rest, headers.get("content-length") ?? (status === 204 ? "0" : undefined));
  const isReusable = headers.get("connection")?.toLowerCase() !== "close";
  return body === undefined ? undefined : { status, headers, body, isReusable };
}

/** Returns a whole body, of its length or else in chunks (RFC 9112 section 7.1). */
function bodyIn(rest: Buffer, length: string | undefined): string | undefined {
  if (length !== undefined)
    return rest.length < Number(length) ? undefined : rest.subarray(0, Number(length)).toString();
  const text = rest.toString("latin1");
  if (!text.endsWith("0\r\n\r\n")) return undefined;
  const chunks = text.split(/(?:^|\r\n)[0-9a-f]+\r\n/i);
  return Buffer.from(chunks.join(""), "latin1").toString().trimEnd();
}

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
