import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import * as face from "../src/index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

describe("the README", () => {
  it("has one line for each code, and the code's own", () => {
    const rows = [...readme.matchAll(/^\| `(CS_\w+)` +\| (.*?) +\|$/gm)];

    expect(rows.map(([, code, meaning]) => [code, meaning])).toEqual(
      Object.entries(face.signatureErrorCodes),
    );
  });

  it("shows code that runs", () => {
    const code = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? "";
    const printed: unknown[][] = [];
    const log = (...values: unknown[]) => printed.push(values);

    runInNewContext(code.replace(/^import .*$/m, ""), {
      standardWebhooks: face.standardWebhooks,
      Buffer,
      console: { log },
    });

    expect(printed).toEqual([["evt_1", 0]]);
  });
});

it("the package exports these values and no others", () => {
  expect(Object.keys(face).toSorted().join(" ")).toBe(
    "bodyHmac describedHmac hmacPresets schemeOf sealed signatureErrorCodes standardWebhooks timestampedHmac xSignature",
  );
});
