import { gzipSync } from "node:zlib";
import {
  drip,
  flood,
  type Hostility,
} from "../../../packages/contract-kit/test/receiver/hostile-target.ts";

/** Markup and commands of a terminal, HTML, XML, Markdown and a CI log; the kit's hostile-reports.spec.ts has many more. */
const text =
  '"><script>pwned=1</script> \u001b]0;pwned\u0007 ]]><pwned/> ::error file=pwned::pwned\n| [x](javascript:pwned) ${pwned} \u0000';
const inLine = text.replaceAll("\n", " ").replaceAll("\u0000", " ");
const answer = (body: string | Buffer, header = ""): Buffer => {
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${header}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
};

const JSON_TYPE = "Content-Type: application/json\r\n";
const bomb = gzipSync(Buffer.alloc(32 * 2 ** 20));
const kilobytes = Buffer.alloc(65_536, "x");

/** Hostile behaviours, as one reads them after "a target that". */
export const hostilities: Readonly<Record<string, Hostility>> = {
  "never answers": () => undefined,
  "resets the connection in the middle of an answer": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", () => {
      socket.resetAndDestroy();
    });
  },
  "answers with text that is not HTTP": (socket) => socket.write(`${text}\r\n\r\n`),
  "sends a body a byte at a time": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    drip(socket, "x");
  },
  "sends a body without end": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    flood(socket, kilobytes);
  },
  "sends headers without end": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    flood(socket, Buffer.from("X-More: and more\r\n".repeat(1000)));
  },
  "sends a gzip bomb": (socket) => socket.write(answer(bomb, "Content-Encoding: gzip\r\n")),
  "answers 500 with markup and commands": (socket) =>
    socket.write(
      answer(text, `X-Note: ${inLine}\r\nContent-Type: text/html\r\n`)
        .toString()
        .replace("200 OK", `500 ${inLine}`),
    ),
  redirects: (socket, said) =>
    socket.write(
      answer("", `Location: /elsewhere?${said.includes("/elsewhere") ? "followed" : ""}\r\n`)
        .toString()
        .replace("200 OK", "307 Temporary Redirect"),
    ),
  "answers with deeply nested objects": (socket) =>
    socket.write(answer(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, JSON_TYPE)),
  "answers with members of Object.prototype": (socket) =>
    socket.write(answer('{"__proto__":{"polluted":1},"constructor":1,"toString":null}', JSON_TYPE)),
};
