import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "../src/report/redact.ts";
import { shownBytes } from "../src/shown-bytes.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const key = Buffer.from(SECRET.slice(6), "base64");

describe("what takes secrets out of a report", () => {
  it.each([
    ["as it is", SECRET],
    ["without its prefix", SECRET.slice(6)],
    ["as base64", Buffer.from(SECRET).toString("base64")],
    ["as base64url", Buffer.from(SECRET).toString("base64url")],
    ["as hexadecimal", Buffer.from(SECRET).toString("hex")],
    ["as its key's bytes", key.toString("hex")],
    ["as its key's bytes, in capitals", key.toString("hex").toUpperCase()],
    ["in an address", encodeURIComponent(SECRET)],
  ])("finds one %s", (_how, form) => {
    const hidden = redactor([SECRET])({ entries: [{ message: `a ${form} b`, ms: 1 }] });
    expect(JSON.stringify(hidden)).not.toContain(form);
    expect(hidden.entries[0]?.message).toContain("[secret]");
    expect(hidden.entries[0]?.ms).toBe(1);
  });

  it("finds any secret in any text, also where the bytes are shown", () => {
    const secret = fc.string({ unit: "grapheme-ascii", minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (one, before, after) => {
        const hidden = redactor([one])([before + one + after, shownBytes(one)]);
        expect(hidden[0]).not.toContain(one);
        expect(hidden[1]).not.toContain(shownBytes(one));
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it("leaves ordinary words alone", () => {
    expect(redactor(["token"])("a token")).toBe("a token");
  });
});
