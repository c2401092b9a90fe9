import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  answerReader,
  GarbledAnswerError,
} from "../../src/receiver/wire/answer-reader.ts";

/** What is read of bytes that come in these pieces, and then no more; a word where it is no answer. */
function read(pieces: readonly Uint8Array[]): Answer | string | undefined {
  const reader = answerReader("POST");
  try {
    for (const piece of pieces) {
      const answer = reader.push(piece);
      if (answer !== undefined) return answer;
    }
    return reader.end();
  } catch (error) {
    if (error instanceof GarbledAnswerError) return "garbled";
    throw error;
  }
}

function inPieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  const sorted = places.toSorted((one, other) => one - other);
  return sorted.slice(1).map((to, index) => bytes.subarray(sorted[index], to));
}

const cuts = fc.array(fc.nat(), { maxLength: 8 });
const body = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const written = fc
  .record({
    status: fc.integer({ min: 200, max: 599 }),
    interim: fc.array(fc.constantFrom(100, 102, 103), { maxLength: 3 }),
    lineBreak: fc.constantFrom("\r\n", "\n"),
    body,
    chunks: fc.option(fc.integer({ min: 1, max: 90 })),
  })
  .map(({ status, interim, lineBreak, body: sent, chunks }) => {
    const head = (first: number, headers: readonly string[]): string =>
      [`HTTP/1.1 ${first} Said`, ...headers, "", ""].join(lineBreak);
    const before = interim.map((one) => head(one, ["X-A: b"])).join("");
    if (chunks === null)
      return {
        status,
        interim,
        sent,
        bytes: Buffer.concat([
          Buffer.from(before + head(status, [`Content-Length: ${sent.length}`])),
          sent,
        ]),
      };
    const parts: Buffer[] = [];
    for (let at = 0; at < sent.length; at += chunks) {
      const part = sent.subarray(at, at + chunks);
      const size = `${part.length.toString(16)};x${lineBreak}`;
      parts.push(Buffer.from(size), part, Buffer.from(lineBreak));
    }
    const start = before + head(status, ["Transfer-Encoding: chunked"]);
    const end = `0${lineBreak}X-Trailer: y${lineBreak}${lineBreak}`;
    return {
      status,
      interim,
      sent,
      bytes: Buffer.concat([Buffer.from(start), ...parts, Buffer.from(end)]),
    };
  });

describe("an answer that comes in pieces", () => {
  it("is the same wherever they end", () => {
    fc.assert(
      fc.property(written, cuts, ({ status, interim, sent, bytes }, places) => {
        const answer = read(inPieces(bytes, places));
        const isBare = status === 204 || status === 304;
        expect(answer).toMatchObject({ status, interim, isReusable: true });
        if (typeof answer === "object" && !isBare)
          expect(Buffer.from(answer.body).equals(sent)).toBe(true);
      }),
    );
  });

  it("is read or told to be none, whatever the bytes are", () => {
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
        const whole = read([bytes]);
        expect(read(inPieces(bytes, places))).toEqual(whole);
      }),
    );
  });
});
