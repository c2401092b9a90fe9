import { spawn } from "node:child_process";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { setInterval, setTimeout } from "node:timers";
import tls from "node:tls";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { certificates, key } from "./certificates.ts";

/** A hostile endpoint's reaction to each request on its socket. */
type Hostility = (socket: net.Socket) => void;

const OK = "HTTP/1.1 200 OK\r\n";
const EMPTY = "content-length: 0\r\n\r\n";
const DRIP_MS = 20;
const BOMB = gzipSync(Buffer.alloc(10_000_000));

/** Writes the head, then the unit again and again until the socket is closed. */
function dripping(head: string, unit: string | Buffer = "a"): Hostility {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(unit), DRIP_MS);
    socket.on("close", () => clearInterval(timer));
  };
}

/** Writes the unit as fast as it is taken. */
function flooding(head: string, unit: string): Hostility {
  return (socket) => {
    socket.write(head);
    const more = (): void => {
      while (!socket.destroyed && socket.write(unit)) continue;
    };
    socket.on("drain", more);
    more();
  };
}

const answering =
  (text: string | Buffer): Hostility =>
  (socket) =>
    void socket.write(text);

let connections = 0;

/** More than twenty kinds of endpoints that must not delay others. */
export const hostileEndpoints = {
  "says nothing": () => {},
  "answers 429": answering(`HTTP/1.1 429 Later\r\n${EMPTY}`),
  "answers 502": answering(`HTTP/1.1 502 Down\r\n${EMPTY}`),
  "answers 504": answering(`HTTP/1.1 504 Slow\r\n${EMPTY}`),
  "drips its status line": dripping("HTT", "P"),
  "drips its headers": dripping(`${OK}x-`),
  "drips its body": dripping(`${OK}content-length: 100000\r\n\r\n`),
  "drips its chunks": dripping(`${OK}transfer-encoding: chunked\r\n\r\n`, "1\r\na\r\n"),
  "has an endless body": flooding(
    `${OK}transfer-encoding: chunked\r\n\r\n`,
    `4000\r\n${"a".repeat(0x4000)}\r\n`,
  ),
  "floods with headers": flooding(OK, "x-a: b\r\n".repeat(1000)),
  "sends 10,000 headers": answering(`${OK}${"x: y\r\n".repeat(10_000)}\r\n`),
  "floods with chunks of one byte": flooding(
    `${OK}transfer-encoding: chunked\r\n\r\n`,
    "1\r\na\r\n".repeat(1000),
  ),
  "has one endless chunk's extension": flooding(
    `${OK}transfer-encoding: chunked\r\n\r\n1;`,
    "a".repeat(4096),
  ),
  "sends empty lines without end": flooding("", "\r\n".repeat(1000)),
  "has one endless header": flooding(`${OK}x-a: `, "a".repeat(4096)),
  "floods with interim answers": flooding("", "HTTP/1.1 102 Processing\r\n\r\n".repeat(500)),
  "drips interim answers": dripping("", "HTTP/1.1 102 Processing\r\n\r\n"),
  "hangs up at once": (socket) => void socket.destroy(),
  "resets one in ten": (socket) => {
    connections += 1;
    if (connections % 10 === 0) socket.resetAndDestroy();
    else socket.write(OK + EMPTY);
  },
  "resets within the body": (socket) => {
    socket.write(`${OK}content-length: 100\r\n\r\nabc`, () => socket.resetAndDestroy());
  },
  "answers late": (socket) =>
    void setTimeout(() => {
      if (socket.writable) socket.write(OK + EMPTY);
    }, 800),
  "speaks another protocol": answering("220 mail.example ESMTP\r\n"),
  "redirects to itself": answering(`HTTP/1.1 307 Again\r\nlocation: /\r\n${EMPTY}`),
  "redirects to a private address": answering(
    `HTTP/1.1 302 There\r\nlocation: http://10.0.0.1/\r\n${EMPTY}`,
  ),
  "sends a gzip bomb": answering(
    Buffer.concat([
      Buffer.from(`${OK}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`),
      BOMB,
    ]),
  ),
  "promises more than it sends": (socket) =>
    void socket.end(`${OK}content-length: 1000000\r\n\r\nabc`),
  "sends more than it promises": answering(`${OK}content-length: 1\r\n\r\nabcdef`),
  "has two lengths": answering(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
  "has a length and chunks": answering(
    `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
  ),
  "wants a wait without sense": answering(
    `HTTP/1.1 503 Later\r\nretry-after: 1e308\r\nretry-after: -1\r\n${EMPTY}`,
  ),
  "upgrades the connection": answering(
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
  ),
} as const satisfies Readonly<Record<string, Hostility>>;

/** Endpoints that HTTPS is spoken to and that speak no TLS; what each does once the handshake has begun. */
const hostileHandshakes: Readonly<Record<string, Hostility>> = {
  "shakes no hands": () => {},
  "answers a handshake with HTTP": answering(`HTTP/1.1 400 No\r\n${EMPTY}`),
  "floods the handshake": flooding("", "\u0016\u0003\u0003\u0040\u0000".repeat(1000)),
  "hangs up in the handshake": (socket) => void socket.resetAndDestroy(),
};

/** A server of each kind in a separate process, whose work does not slow the sender. */
export async function startHostileServers() {
  const script = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const [data] = (await once(child.stdout, "data")) as [Buffer];
  return {
    /** By kind. */
    urls: JSON.parse(String(data)) as Readonly<Record<string, string>>,
    stop: () => void child.kill("SIGKILL"),
  };
}

/** Listens once for each kind and prints the URLs. Ends with whoever started it. */
async function main(): Promise<void> {
  const urls: Record<string, string> = {};
  const listen = async (kind: string, server: net.Server, origin: string): Promise<void> => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    // A listening TCP server has an address with a port.
    const { port } = server.address() as AddressInfo;
    urls[kind] = `${origin}:${String(port)}/`;
  };
  const quiet = (serve: (socket: net.Socket) => void): net.Server =>
    net.createServer((socket) => serve(socket.on("error", () => {})));
  for (const [kind, hostility] of Object.entries(hostileEndpoints)) {
    const server = quiet((socket) =>
      socket.on("data", (data) => {
        if (data.toString("latin1", 0, 5) === "POST ") hostility(socket);
      }),
    );
    await listen(kind, server, "http://127.0.0.1");
  }
  for (const [kind, hostility] of Object.entries(hostileHandshakes)) {
    const server = quiet((socket) => socket.once("data", () => hostility(socket)));
    await listen(kind, server, "https://localhost");
  }
  for (const name of ["expired", "wrongHost", "selfSigned"] as const) {
    const server = tls.createServer({ cert: certificates[name], key });
    server.on("tlsClientError", () => {});
    await listen(`has a certificate that is ${name}`, server, "https://localhost");
  }
  console.log(JSON.stringify(urls));
  process.stdin.on("end", () => process.exit()).resume();
}

if (import.meta.main) await main();
