import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerBounds } from "../../src/delivery/answer-bounds.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const INTERIM = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
const headers = (count: number): string => "x: y\r\n".repeat(count);
const lines = (count: number): string => "\n".repeat(count);

/** Whether all of it is read, in pieces of so many bytes. */
function isRead(text: string, size = 2048, bounds = new AnswerBounds()): boolean {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    if (bounds.read(bytes.subarray(at, at + size)) !== undefined) return false;
  }
  return true;
}

describe("B10: what one answer may take on the wire", () => {
  it.each([1, 7, 2048])(
    "is a head of 256 lines, the empty one included, in pieces of %d",
    (size) => {
      expect(isRead(`${OK}${headers(254)}\r\n`, size)).toBe(true);
      expect(isRead(`${OK}${headers(255)}\r\n`, size)).toBe(false);
    },
  );

  it("counts no lines of the body", () => {
    expect(isRead(`${OK}${headers(200)}\r\n${lines(5000)}`)).toBe(true);
  });

  it("counts the lines of interim answers with those of the final one", () => {
    expect(isRead(`${INTERIM.repeat(80)}${OK}${headers(13)}\r\n${lines(5000)}`)).toBe(true);
    expect(isRead(`${INTERIM.repeat(80)}${OK}${headers(30)}\r\n`)).toBe(false);
    expect(isRead(INTERIM.repeat(90))).toBe(false);
  });

  it("counts the empty lines before a head", () => {
    expect(isRead(`\r\n${OK}\r\n${lines(5000)}`)).toBe(true);
    expect(isRead("\r\n".repeat(300))).toBe(false);
  });

  it("is 80 KiB in all", () => {
    const head = `${OK}\r\n`;
    expect(isRead(head + "a".repeat(80 * 1024 - head.length))).toBe(true);
    expect(isRead(head + "a".repeat(80 * 1024 - head.length + 1))).toBe(false);
  });

  it("begins anew with each answer", () => {
    const bounds = new AnswerBounds();
    const answer = `${OK}${headers(200)}\r\n${"a".repeat(60_000)}`;
    expect(isRead(answer, 2048, bounds)).toBe(true);
    bounds.begin();
    expect(isRead(answer, 2048, bounds)).toBe(true);
    expect(isRead(answer, 2048, bounds)).toBe(false);
  });

  it("has a reason with the code of an answer that is malformed", () => {
    expect(new AnswerBounds().read(Buffer.from(lines(300)))).toMatchObject({
      code: "CS_ATTEMPT_ANSWER_MALFORMED",
    });
  });

  it("does not depend on how the bytes are cut", () => {
    const part = fc.constantFrom(OK, INTERIM, "\r\n", "x: y\r\n", headers(60), "a", "\n");
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 12 }),
        fc.integer({ min: 1, max: 40 }),
        (parts, size) => {
          const text = parts.join("");
          expect(isRead(text, size)).toBe(isRead(text, 1));
        },
      ),
    );
  });
});
