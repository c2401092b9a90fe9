import { describe, expect, it } from "vitest";
import { readJson } from "../src/strict-json.ts";

/** Returns a body with the longest pointers that are accepted, and the count of its numbers. */
function fullBody(): { body: string; count: number } {
  for (let count = 200; ; count += 1) {
    const indexes = Array.from({ length: count }, (_, index) => String(index).length);
    const digits = indexes.reduce((sum, length) => sum + length, 0);
    // count * (name + 2) + digits = 65,536 + 16 * (name + 2 * count + 6)
    const name = (65_536 + 16 * (2 * count + 6) - 2 * count - digits) / (count - 16);
    if (Number.isInteger(name))
      return { body: `{"${"n".repeat(name)}":[${Array(count).fill("1").join(",")}]}`, count };
  }
}

describe("the numbers that readJson returns", () => {
  const longest = `1${"0".repeat(308)}`;
  const tiny = (zeros: number) => `0.${"0".repeat(zeros)}1`;
  const inexact =
    "9007199254740993 -1234567890123456e0 0.0000001234567890123456 1e309 1.8e308 1e-308 1e-400 " +
    `1000000000000001 1.000000000000001e3 ${longest}0 ${tiny(308)}`;
  const exact =
    "0 -0 123456789012345000000.000 0.000000000000000000012345 1.7e308 2.3e-308 0e999 -0.0E-999 " +
    "123456789012345 1000000000000000 " +
    `${longest} ${longest.slice(0, -9)} ${longest.slice(0, -10)} ${tiny(306)} -0.${"0".repeat(400)}`;

  it("include each one that a double cannot represent, and no other", () => {
    for (const text of inexact.split(" "))
      expect(readJson(text)).toMatchObject({ numbers: new Map([["", text]]) });
    for (const text of exact.split(" "))
      expect(readJson(text)).toMatchObject({ ok: true, numbers: new Map() });
  });

  it("are refused if a long name above many of them makes their pointers too long", () => {
    const { body, count } = fullBody();
    const reading = readJson(body, { numbers: "all" });
    expect(reading).toMatchObject({ ok: true, numbers: { size: count } });
    expect(readJson(body.replace('"n', '"nn'), { numbers: "all" })).toMatchObject({
      code: "CS_JSON_POINTERS",
    });
    expect(readJson(body.replace('"n', '"nn')).ok).toBe(true);
  });
});
