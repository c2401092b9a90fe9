import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { standardCatalogue } from "@countersign/schemas";
import { describe, expect, it, vi } from "vitest";
import {
  attemptOf,
  genuine,
  otherSecret,
  recordingReceiver,
  refundAuthorized,
} from "../fixtures.ts";

const folder = new URL("../../../../schemas/", import.meta.url);
const documents = ["events", "resources"].flatMap((name) =>
  readdirSync(new URL(`${name}/`, folder))
    .filter((file) => file.endsWith(".schema.json"))
    .map((file) => JSON.parse(readFileSync(new URL(`${name}/${file}`, folder), "utf8")) as unknown),
);

type Json = Readonly<Record<string, unknown>>;

/** Every schema in a document, also those inside another. */
function schemasIn(value: unknown): readonly Json[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, member]) =>
    // These members are data.
    name === "examples" || name.startsWith("x-") ? [] : schemasIn(member),
  );
  return Array.isArray(value) ? inside : [value as Json, ...inside];
}

const schemas = documents.flatMap(schemasIn);

describe("A23: a pattern of exponential time", () => {
  const patterns = schemas.filter(({ pattern }) => typeof pattern === "string");

  it("finds no text of more than 4,096 characters: each with a pattern has a maximum length", () => {
    expect(patterns.length).toBeGreaterThan(3);
    for (const { maxLength } of patterns) expect(maxLength).toBeLessThanOrEqual(4096);
  });

  it("never runs on a text of a megabyte: every event refuses it by its length", () => {
    const long = "1".repeat(1_000_000);
    const event = { id: long, type: long, category: long, timestamp: long, data: long };
    for (const { validate } of Object.values(standardCatalogue.events)) {
      const begun = process.cpuUsage();
      expect(validate(event).ok).toBe(false);
      expect(process.cpuUsage(begun).user).toBeLessThan(500_000);
    }
  });

  it("never runs for a stranger: the signature is checked before any validator", async () => {
    const entry = standardCatalogue.events["refund.authorized"];
    const validate = vi.fn<typeof entry.validate>((value) => entry.validate(value));
    const events = { ...standardCatalogue.events, "refund.authorized": { ...entry, validate } };
    const { receiver } = recordingReceiver({ catalogue: { ...standardCatalogue, events } });
    await receiver.receive(attemptOf(refundAuthorized(), { secrets: [otherSecret] }));
    await receiver.receive({ ...genuine, body: Buffer.from("{") });
    expect(validate).not.toHaveBeenCalled();
    await receiver.receive(genuine);
    expect(validate).toHaveBeenCalledTimes(1);
  });
});

describe("A24: the schemas", () => {
  it("refer only to their own files", () => {
    const references = schemas.flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref]));
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references)
      expect(reference).toMatch(
        /^(?:\.\.\/resources\/|\.\/)?[a-z.-]+\.schema\.json(?:#[\w/$-]*)?$/,
      );
  });

  it.each([
    ["without code from text and [A15] without __proto__", "--disable-proto=delete"],
    ["[A15] with frozen built-in objects and __proto__ that throws", "--disable-proto=throw"],
  ])("are validated by a receiver in a process %s", (_what, flag) => {
    const script = fileURLToPath(new URL("one-of-each.ts", import.meta.url));
    const hardened = flag.endsWith("throw")
      ? "--frozen-intrinsics"
      : "--disallow-code-generation-from-strings";
    const flags = [flag, hardened, "--no-warnings"];
    const output = execFileSync(process.execPath, [...flags, script], { encoding: "utf8" });
    expect(JSON.parse(output)).toEqual([
      "handled",
      "duplicate",
      "unrouted",
      "CS_EVENT_SCHEMA",
      "CS_BODY_NOT_JSON",
      "CS_SIGNATURE_MISMATCH",
    ]);
  });
});
