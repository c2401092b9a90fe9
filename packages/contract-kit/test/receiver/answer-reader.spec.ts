import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, GarbledAnswerError, readAnswer } from "../../src/harness/answer-reader.ts";

/** Reads pieces of an answer, after which the connection ends. */
function read(pieces: readonly Uint8Array[], method = "POST"): Answer | string | undefined {
  try {
    for (let count = 1; count <= pieces.length; count += 1) {
      const bytes = Buffer.concat(pieces.slice(0, count));
      const found = readAnswer(bytes, { method, isEnded: false });
      if (found !== undefined) return found.answer;
    }
    return readAnswer(Buffer.concat(pieces), { method, isEnded: true })?.answer;
  } catch (error) {
    if (error instanceof GarbledAnswerError) return "garbled";
    throw error;
  }
}

function bodyOf(text: string, method?: string): string | undefined {
  const answer = read([Buffer.from(text, "latin1")], method);
  return typeof answer === "object" ? Buffer.from(answer.body).toString() : answer;
}

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

describe("the answer reader", () => {
  it("reads a body to the end of the connection, and none after 204 or HEAD", () => {
    expect(bodyOf("HTTP/1.0 200 OK\r\n\r\nabc")).toBe("abc");
    expect(bodyOf("HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\n")).toBe("");
    expect(bodyOf(`${OK}Content-Length: 5\r\n\r\n`, "HEAD")).toBe("");
  });

  it.each([
    ["no status line", "hello\r\n\r\n"],
    ["a header without a colon", `${OK}no colon\r\n\r\n`],
    ["two lengths", `${OK}Content-Length: 5, 5\r\n\r\nabcde`],
    ["less than its length", `${OK}Content-Length: 5\r\n\r\nab`],
    ["a chunk without a size", `${CHUNKED}x\r\n`],
    ["a chunk longer than its size", `${CHUNKED}1\r\nabc\r\n`],
    ["a hundred provisional answers", "HTTP/1.1 100 X\r\n\r\n".repeat(100)],
    ["a status line of 40,000 characters", `HTTP/1.1 200 ${"x".repeat(40_000)}`],
    ["10,000 headers", `${OK}${"A: b\r\n".repeat(10_000)}`],
  ])("rejects an answer with %s", (_what, text) => {
    expect(bodyOf(text)).toBe("garbled");
  });
});

function inPieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  const sorted = places.toSorted((one, other) => one - other);
  return sorted.slice(1).map((to, index) => bytes.subarray(sorted[index], to));
}

const cuts = fc.array(fc.nat(), { maxLength: 8 });
const written = fc
  .record({
    status: fc.integer({ min: 200, max: 599 }),
    interim: fc.array(fc.constantFrom(100, 102, 103), { maxLength: 3 }),
    lineBreak: fc.constantFrom("\r\n", "\n"),
    sent: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    chunks: fc.option(fc.integer({ min: 1, max: 90 })),
  })
  .map(({ status, interim, lineBreak, sent, chunks }) => {
    const head = (first: number, header: string): string =>
      [`HTTP/1.1 ${first} Said`, header, "", ""].join(lineBreak);
    const parts = interim.map((one) => Buffer.from(head(one, "X-A: b")));
    if (chunks === null)
      parts.push(Buffer.from(head(status, `Content-Length: ${sent.length}`)), sent);
    else {
      parts.push(Buffer.from(head(status, "Transfer-Encoding: chunked")));
      for (let at = 0; at < sent.length; at += chunks) {
        const part = sent.subarray(at, at + chunks);
        const size = `${part.length.toString(16)};x${lineBreak}`;
        parts.push(Buffer.from(size), part, Buffer.from(lineBreak));
      }
      parts.push(Buffer.from(`0${lineBreak}X-Trailer: y${lineBreak}${lineBreak}`));
    }
    return { status, sent, bytes: Buffer.concat(parts) };
  });

describe("the answer reader, with an answer in pieces,", () => {
  it("always reads the same answer", () => {
    fc.assert(
      fc.property(written, cuts, ({ status, sent, bytes }, places) => {
        const answer = read(inPieces(bytes, places));
        const isBare = status === 204 || status === 304;
        expect(answer).toMatchObject({ status, isReusable: true });
        if (typeof answer === "object" && !isBare)
          expect(Buffer.from(answer.body).equals(sent)).toBe(true);
      }),
    );
  });

  it("always accepts or rejects bytes in pieces as it does in one piece", () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.tuple(written, fc.nat(), fc.nat({ max: 255 })).map(([{ bytes }, place, value]) => {
        const changed = Buffer.from(bytes);
        changed[place % changed.length] = value;
        return changed;
      }),
    );
    fc.assert(
      fc.property(anything, cuts, (bytes, places) => {
        expect(read(inPieces(bytes, places))).toEqual(read([bytes]));
      }),
    );
  });
});
