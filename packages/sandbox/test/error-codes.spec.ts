import { readFileSync } from "node:fs";
import { errorCodes, memberCodes, type ErrorCodeEntry } from "@countersign/service";
import { describe, expect, it } from "vitest";
import { sandboxErrorCodes } from "../src/error-codes.ts";

// The same kind of table as the service's: the compiler says so.
const own: Readonly<Record<string, ErrorCodeEntry>> = sandboxErrorCodes;
const service = new Map<string, object>(Object.entries({ ...errorCodes, ...memberCodes }));

describe("a code of the sandbox's own", () => {
  it.each(Object.entries(own))("%s has no other meaning in the service", (code, entry) => {
    expect(service.get(code) ?? entry).toEqual(entry);
  });

  it.each(Object.entries(own))("%s stands in the README with its status", (code, entry) => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const rows = readme.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    expect(rows).toContainEqual(["", `\`${code}\``, String(entry.status), entry.meaning, ""]);
  });
});
