import { readdirSync, readFileSync } from "node:fs";
import { federalReserve, decide, onCovered, onFailed, onReturned } from "@countersign/rules";
import { describe, expect, it } from "vitest";
import { attemptErrorCodes } from "../src/delivery/attempt-error.ts";
import { errorCodes, memberCodeOfJson, memberCodes } from "../src/error-codes.ts";
import { tokenErrors } from "../src/http/token-refused.ts";

const sources = new URL("../src/", import.meta.url);

/** What is written in quotes and looks like a code, in the files whose path matches. */
function written(files: RegExp): Set<string> {
  const names = readdirSync(sources, { recursive: true, encoding: "utf8" });
  const texts = names
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => files.test(name) && name.endsWith(".ts"))
    .map((name) => readFileSync(new URL(name, sources), "utf8"));
  return new Set(texts.flatMap((text) => text.match(/(?<=")[A-Z][A-Z0-9_]{7,}(?=")/g) ?? []));
}

describe("a code that can be answered with", () => {
  it("is registered, wherever the HTTP interface names it", () => {
    // Errors of this program have codes that begin with CS_; no answer carries one.
    const codes = [...written(/^http\/|^policy-of/)].filter((code) => !code.startsWith("CS_"));
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !(code in errorCodes) && !(code in memberCodes))).toEqual([]);
  });

  it("is registered where the rules write it into a refund", () => {
    const refund = { status: "PENDING", eligibleAt: undefined } as const;
    const returned = onReturned({ status: "AUTHORIZED" }, { lateReturn: true });
    const moved = [onFailed(refund), onCovered(refund), returned];
    const codes = moved.map((one) => "errorDetails" in one && one.errorDetails.errorCode);
    expect(codes).toEqual(["CUSTOMER_NOT_DEBITED", "CUSTOMER_NOT_DEBITED", "REFUND_RETURNED"]);
    for (const code of codes) expect(errorCodes).toHaveProperty(String(code));
  });

  it.each([
    [5n, "REFUND_AMOUNT_EXCEEDS_REMAINING"],
    [10n, "PAYMENT_ALREADY_REFUNDED"],
  ])("is registered where the rules refuse an amount (%i cents are reserved)", (reserved, code) => {
    const hold = {
      businessDays: 3,
      mode: "date",
      timeZone: "America/New_York",
      cutoff: "00:00",
      calendar: federalReserve,
    } as const;
    const amounts = { amountCents: 10n, reservedCents: reserved, askedCents: 6n };
    const debit = { state: "processing" } as const;
    expect(decide({ debit, ...amounts, now: 0, hold })).toEqual({ ok: false, code });
    expect(errorCodes).toHaveProperty(code);
  });

  it("is a member code where it is the reader's of JSON, under its name without the prefix", () => {
    for (const [code, member] of Object.entries(memberCodeOfJson)) {
      expect(code).toBe(`CS_${member}`);
      expect(memberCodes).toHaveProperty(member);
    }
  });
});

describe("the registry of codes", () => {
  it("holds no code that nobody writes", () => {
    const used = written(/^(?!error-codes)/);
    // Written by the rules alone.
    for (const code of ["REFUND_RETURNED", ...Object.values(memberCodeOfJson)]) used.add(code);
    const registered = [...Object.keys(errorCodes), ...Object.keys(memberCodes)];
    expect(registered.filter((code) => !used.has(code))).toEqual([]);
  });

  it("[P-ERROR-CODE-STABLE] never gives one name two meanings", () => {
    const tables = [errorCodes, memberCodes, tokenErrors, attemptErrorCodes];
    const names = tables.flatMap((table) => Object.keys(table));
    expect(new Set(names).size).toBe(names.length);
  });
});

interface Entry {
  readonly status?: number | undefined;
  readonly meaning: string;
}

/** The cells of the page's table below a heading, without its head. */
function rowsBelow(heading: string): string[][] {
  const page = readFileSync(new URL("../docs/errors.md", import.meta.url), "utf8");
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [table = ""] = /(?:^\|.*\n)+/m.exec(section.split("\n#")[0] ?? "") ?? [];
  const lines = table.trimEnd().split("\n").slice(2);
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe("the page of codes", () => {
  it.each<[string, Readonly<Record<string, Entry>>]>([
    ["Error codes", errorCodes],
    ["Token error codes", tokenErrors],
  ])("lists each code of %s with its status and its meaning", (heading, table) => {
    const rows = Object.entries(table).map(([code, { status, meaning }]) => [
      `\`${code}\``,
      status === undefined ? "" : String(status),
      meaning,
    ]);
    // The calls stand in a column of their own.
    const listed = rowsBelow(heading).map((cells) => [...cells.slice(0, 2), cells.at(-1)]);
    expect(listed).toEqual(rows);
  });

  it.each<[string, Readonly<Record<string, Entry>>]>([
    ["Member codes", memberCodes],
    ["Attempt error codes", attemptErrorCodes],
  ])("lists each code of %s with its meaning", (heading, table) => {
    const rows = Object.entries(table).map(([code, { meaning }]) => [`\`${code}\``, meaning]);
    expect(rowsBelow(heading)).toEqual(rows);
  });
});
