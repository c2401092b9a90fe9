import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** What a target does to whoever speaks with it, once a connection has said something. */
export type Hostility =
  | ((socket: Socket, said: string) => void)
  /** Before it has said anything. */
  | { readonly early: (socket: Socket) => void };

/** Texts that are markup or commands somewhere: in a terminal, HTML, XML, Markdown, a log of CI. */
const injections: readonly string[] = [
  "<script>globalThis.pwned=1</script>",
  '"><img src=x onerror=globalThis.pwned=1>',
  "\u001b]0;pwned\u0007\u001b[2J\u001b[31m",
  "\u009b31mpwned",
  "\u202epwned",
  "]]><pwned/>&pwned;",
  "::error file=pwned::pwned",
  "##[error]pwned",
  "\n::set-output name=pwned::1",
  "| pwned | [pwned](javascript:pwned) ![pwned](http://127.0.0.1:9/pwned) `` ` ``",
  "${pwned} $(pwned) `pwned`",
  "\u0000\u0008\u000cpwned",
];

const text = injections.join(" ");
/** As far as it may stand in a head. */
const inLine = text.replaceAll("\n", " ").replaceAll("\u0000", " ");
const answer = (body: string | Buffer, head = ""): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${head}\r\n`,
      "latin1",
    ),
    Buffer.from(body),
  ]);

/** Writes for ever, as fast as the other side takes it, until it hangs up. */
function flood(socket: Socket, chunk: Buffer): void {
  const pour = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", pour);
  pour();
}

/** Writes a little now and then, until the other side hangs up. */
function drip(socket: Socket, chunk: string): void {
  const timer = setInterval(() => socket.write(chunk), 20);
  socket.once("close", () => {
    clearInterval(timer);
  });
}

const bomb = gzipSync(Buffer.alloc(32 * 2 ** 20));
const kilobytes = Buffer.alloc(65_536, "x");

/** Behaviours by what a reader would call them. */
export const hostilities: Readonly<Record<string, Hostility>> = {
  "never answers": () => undefined,
  "hangs up at once": (socket) => socket.destroy(),
  "resets the connection": (socket) => socket.resetAndDestroy(),
  "resets in the middle of an answer": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", () => {
      socket.resetAndDestroy();
    });
  },
  "answers with what is no HTTP": (socket) => socket.write(`${text}\r\n\r\n`),
  "answers with bytes at random": (socket) =>
    socket.write(Buffer.from(kilobytes.map((_, index) => (index * 131) % 256))),
  "drips an answer, a byte at a time": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    drip(socket, "x");
  },
  "drips a head, a byte at a time": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nX-Long: ");
    drip(socket, "x");
  },
  "answers without end": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    flood(socket, kilobytes);
  },
  "answers in chunks without end": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    flood(socket, Buffer.concat([Buffer.from("10000\r\n"), kilobytes, Buffer.from("\r\n")]));
  },
  "announces a chunk of more bytes than there are": (socket) =>
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx"),
  "sends headers without end": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    flood(socket, Buffer.from("X-More: and more\r\n".repeat(1000)));
  },
  "sends one line without end": (socket) => {
    socket.write("HTTP/1.1 200 ");
    flood(socket, kilobytes);
  },
  "says to continue without end": (socket) => {
    flood(socket, Buffer.from("HTTP/1.1 100 Continue\r\n\r\n".repeat(1000)));
  },
  "announces another length than it sends": (socket) =>
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nabcdefg"),
  "answers with a bomb of zeros": (socket) =>
    socket.write(answer(bomb, "Content-Encoding: gzip\r\n")),
  "answers twice": (socket) =>
    socket.write(Buffer.concat([answer("one"), answer("two"), answer("three")])),
  "answers before anything is asked": { early: (socket) => socket.write(answer("early")) },
  "answers with markup and commands": (socket) =>
    socket.write(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 500 ${inLine}\r\n`, "utf8"),
        Buffer.from(`X-Note: ${inLine}\r\n`, "utf8"),
        Buffer.from(
          `Content-Type: text/html\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
        ),
      ]),
    ),
  "takes everything, and tells markup and commands": (socket) =>
    socket.write(answer(text, `X-Note: ${inLine}\r\n`)),
  "leads elsewhere": (socket, said) =>
    socket.write(
      answer("", `Location: /elsewhere?${said.includes("/elsewhere") ? "followed" : ""}\r\n`)
        .toString()
        .replace("200 OK", "307 Temporary Redirect"),
    ),
};

export interface HostileServer {
  readonly url: string;
  /** The first lines of the requests that came. */
  readonly asked: readonly string[];
  readonly close: () => Promise<void>;
}

export async function serveHostile(hostility: Hostility): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    // The other side may go at any time.
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
    if (typeof hostility === "object") hostility.early(socket);
    socket.once("data", (bytes) => {
      const said = bytes.toString("latin1");
      asked.push(said.slice(0, said.indexOf("\r\n")));
      if (typeof hostility === "function") hostility(socket, said);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/webhooks`,
    asked,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
