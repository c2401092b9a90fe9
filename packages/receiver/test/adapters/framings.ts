/**
 * Thirty framings of a genuine attempt that HTTP forbids, or that two parsers would read in two ways
 * (RFC 9112). Each takes its header lines and its body, and gives the bytes that are sent.
 */
export const framings: Readonly<
  Record<string, (headers: readonly string[], body: Buffer) => Buffer>
> = {
  "two lengths that differ": (headers, body) =>
    post([...headers, length(body), "Content-Length: 5"], body),
  "two lengths that agree": (headers, body) => post([...headers, length(body), length(body)], body),
  "a list of lengths": (headers, body) =>
    post([...headers, `Content-Length: ${String(body.length)}, ${String(body.length)}`], body),
  "a length with a sign": (headers, body) =>
    post([...headers, `Content-Length: +${String(body.length)}`], body),
  "a negative length": (headers, body) => post([...headers, "Content-Length: -1"], body),
  "a length in hexadecimal": (headers, body) =>
    post([...headers, `Content-Length: 0x${body.length.toString(16)}`], body),
  "a length with letters": (headers, body) =>
    post([...headers, `Content-Length: ${String(body.length)}a`], body),
  "a length beyond all numbers": (headers, body) =>
    post([...headers, `Content-Length: 9${"0".repeat(30)}`], body),
  "a length and chunks": (headers, body) =>
    post([...headers, length(body), "Transfer-Encoding: chunked"], chunked(body)),
  "chunks and a length": (headers, body) =>
    post([...headers, "Transfer-Encoding: chunked", length(body)], chunked(body)),
  "a transfer coding that is unknown": (headers, body) =>
    post([...headers, "Transfer-Encoding: xchunked"], chunked(body)),
  "chunks that are not the last coding": (headers, body) =>
    post([...headers, "Transfer-Encoding: chunked, identity"], chunked(body)),
  "chunked twice": (headers, body) =>
    post([...headers, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], chunked(body)),
  "a chunk's size that is no number": (headers, body) =>
    post([...headers, "Transfer-Encoding: chunked"], text(`zz\r\n${String(body)}\r\n0\r\n\r\n`)),
  "a chunk's size with a sign": (headers, body) =>
    post(
      [...headers, "Transfer-Encoding: chunked"],
      text(`+${size(body)}\r\n${String(body)}\r\n0\r\n\r\n`),
    ),
  "a chunk's size beyond all numbers": (headers, body) =>
    post(
      [...headers, "Transfer-Encoding: chunked"],
      text(`${"f".repeat(20)}\r\n${String(body)}\r\n0\r\n\r\n`),
    ),
  "a chunk that is longer than its size": (headers, body) =>
    post([...headers, "Transfer-Encoding: chunked"], text(`1\r\n${String(body)}\r\n0\r\n\r\n`)),
  "a chunk that ends in a bare line feed": (headers, body) =>
    post([...headers, "Transfer-Encoding: chunked"], text(`${size(body)}\n${String(body)}\n0\n\n`)),
  "white space before a colon": (headers, body) =>
    post([...headers, `Content-Length : ${String(body.length)}`], body),
  "a header without a name": (headers, body) => post([...headers, ": x", length(body)], body),
  "a header without a colon": (headers, body) => post([...headers, "nothing", length(body)], body),
  "a name with a space": (headers, body) => post([...headers, "web hook: x", length(body)], body),
  "a folded header": (headers, body) => post([...headers, "x: a\r\n b", length(body)], body),
  "a signature that is folded": (headers, body) =>
    post([...headers.map((line) => line.replace("v1,", "\r\n v1,")), length(body)], body),
  "a null character in a value": (headers, body) =>
    post([...headers, "x: a\0b", length(body)], body),
  "a bare carriage return in a value": (headers, body) =>
    post([...headers, "x: a\rb", length(body)], body),
  "bare line feeds": (headers, body) =>
    text(
      post([...headers, length(body)], body)
        .toString("latin1")
        .replaceAll("\r\n", "\n"),
    ),
  "no Host": (headers, body) => post([...headers, length(body)], body, { host: "" }),
  "a version that is none": (headers, body) =>
    post([...headers, length(body)], body, { version: "HTTP/1.10" }),
  "a line that starts with a space": (headers, body) =>
    post([...headers.slice(0, 0), " x: y", ...headers, length(body)], body),
};

const text = (characters: string): Buffer => Buffer.from(characters, "latin1");
const size = (body: Buffer): string => body.length.toString(16);
const length = (body: Buffer): string => `Content-Length: ${String(body.length)}`;
const chunked = (body: Buffer): Buffer =>
  text(`${size(body)}\r\n${body.toString("latin1")}\r\n0\r\n\r\n`);

function post(
  lines: readonly string[],
  body: Buffer,
  { host = "Host: localhost", version = "HTTP/1.1" } = {},
): Buffer {
  const head = [`POST /webhooks ${version}`, ...(host === "" ? [] : [host]), ...lines, "", ""];
  return Buffer.concat([text(head.join("\r\n")), body]);
}
