import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { missing } from "../fixtures.ts";
import { bodies, dataIn, pythonAmounts, strictTypeScript, written } from "./compile.ts";

// The other languages and profiles are in compiled.slow.ts.
describe("generated types", () => {
  it.each(["standard", "x-signature"] as const)(
    "keep the text of an amount in TypeScript of profile %s",
    async (profile) => {
      const file = await written("typescript", profile);
      // The module that was just written has this function.
      const { parseEvent } = (await import(pathToFileURL(file).href)) as {
        readonly parseEvent: (text: string) => Record<string, Record<string, object>> | undefined;
      };
      for (const [value, body] of bodies(profile)) {
        const data = { amount: { currency: "USD", value }, added: 1.5 };
        expect(parseEvent(body)?.[dataIn[profile]]).toMatchObject(data);
      }
      expect(parseEvent('{"type":"added.since","eventType":"added.since"}')).toBeUndefined();
      expect(() => parseEvent("{")).toThrow(SyntaxError);
    },
  );

  it("compile as strict TypeScript that narrows an event by its type", async () => {
    expect(await strictTypeScript("x-signature")).toBe("");
  });

  it("keep an amount exactly in Python and refuse a float", async ({ skip }) => {
    skip(...missing("python3"));
    const expected = [...bodies("standard").keys()].map((amount) => `${amount} ${amount}`);
    expect(await pythonAmounts("standard")).toEqual(expected);
  });
});
