import { expect, describe, it } from "vitest";
import { attemptOf, refundAuthorized } from "../fixtures.ts";
import { mounted } from "./mounted.ts";
import { mounts } from "./mounts.ts";
import { exchange, linesOf } from "./wire.ts";

const { headers, body } = attemptOf(refundAuthorized("evt_framed"));
const text = Buffer.from(body).toString();
const size = body.length.toString(16);
const length = `Content-Length: ${String(body.length)}`;
const chunked = "Transfer-Encoding: chunked";
const chunks = `${size}\r\n${text}\r\n0\r\n\r\n`;

interface Framing {
  readonly start?: string;
  readonly host?: readonly string[];
  /** Lines before and after those of the attempt. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly sent?: string;
  readonly change?: (head: string) => string;
}

/** Framings that HTTP forbids, or that two parsers would read in two ways (RFC 9112). */
const framings: Readonly<Record<string, Framing>> = {
  "two lengths that differ": { after: [length, "Content-Length: 5"] },
  "two lengths that agree": { after: [length, length] },
  "a list of lengths": { after: [`${length}, ${String(body.length)}`] },
  "a length with a sign": { after: [`Content-Length: +${String(body.length)}`] },
  "a negative length": { after: ["Content-Length: -1"] },
  "a hexadecimal length": { after: [`Content-Length: 0x${size}`] },
  "a length with letters": { after: [`${length}a`] },
  "a length beyond all numbers": { after: [`Content-Length: 9${"0".repeat(30)}`] },
  "a length and chunks": { after: [length, chunked], sent: chunks },
  "chunks and a length": { after: [chunked, length], sent: chunks },
  "an unknown transfer coding": { after: ["Transfer-Encoding: xchunked"], sent: chunks },
  "chunks before another coding": { after: [`${chunked}, identity`], sent: chunks },
  "two chunked codings": { after: [chunked, chunked], sent: chunks },
  "a chunk size that is not a number": { after: [chunked], sent: `zz\r\n${text}\r\n0\r\n\r\n` },
  "a chunk size with a sign": { after: [chunked], sent: `+${chunks}` },
  "a chunk size beyond all numbers": { after: [chunked], sent: `${"f".repeat(20)}${chunks}` },
  "a chunk longer than its size": { after: [chunked], sent: `1\r\n${text}\r\n0\r\n\r\n` },
  "chunks that end in bare line feeds": { after: [chunked], sent: chunks.replaceAll("\r\n", "\n") },
  "white space before a colon": { after: [length.replace(":", " :")] },
  "a header without a name": { after: [": x", length] },
  "a header without a colon": { after: ["nothing", length] },
  "a header name with a space": { after: ["web hook: x", length] },
  "a folded header": { after: ["x: a\r\n b", length] },
  "a folded signature": { after: [length], change: (head) => head.replace("v1,", "\r\n v1,") },
  "a null character in a value": { after: ["x: a\0b", length] },
  "a bare carriage return in a value": { after: ["x: a\rb", length] },
  "bare line feeds": { after: [length], change: (head) => head.replaceAll("\r\n", "\n") },
  "no Host": { after: [length], host: [] },
  "an unknown version": { after: [length], start: "POST /webhooks HTTP/1.10" },
  "a first line that starts with a space": { after: [length], before: [" x: y"] },
};

describe.each(mounts)("A12: $name", (mount) => {
  it("never acknowledges a genuine attempt in thirty ambiguous framings", async () => {
    const { port, server, handled } = await mounted(mount, { limits: { bodyMs: 100 } });
    // A gateway waits for a body's end as long as its server does.
    server.requestTimeout = 200;
    const accepted: string[] = [];
    const send = async ([name, framing]: [string, Framing]): Promise<void> => {
      const { host = ["Host: localhost"], before = [], after = [], sent = text } = framing;
      const lines = [...host, ...before, ...linesOf(headers), ...after, "", ""];
      const head = [framing.start ?? "POST /webhooks HTTP/1.1", ...lines].join("\r\n");
      const bytes = Buffer.from((framing.change?.(head) ?? head) + sent, "latin1");
      const { status } = await exchange(port, bytes);
      if (status !== 0 && status < 400) accepted.push(name);
    };
    await Promise.all(Object.entries(framings).map(send));
    expect(accepted).toEqual([]);
    expect(handled).toEqual([]);
    await send(["an unambiguous length", { after: [length] }]);
    expect(handled).toEqual(["PAYMENT evt_framed"]);
  });
});
