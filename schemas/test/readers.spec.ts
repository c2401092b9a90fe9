import { standardCatalogue } from "@countersign/schemas";
import { describe, expect, it } from "vitest";
import { errorsOf, examplesOf, files, readerOf, writerOf } from "./schema-files.ts";

/** A value with a member more in every object of it. */
function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, grown(member)] as const);
  return { ...Object.fromEntries(members), addedLater: { at: 1 } };
}

const objects = files.filter(
  (file) => readerOf(file) !== undefined && typeof examplesOf(file)[0] === "object",
);

describe.each(objects.map((file) => [file.title, file] as const))(
  "a reader of %s",
  (_title, file) => {
    it("lets unknown members pass at every level, which the writer refuses", () => {
      const reader = readerOf(file) ?? writerOf(file);
      for (const example of examplesOf(file)) {
        expect(errorsOf(reader, grown(example))).toEqual([]);
        expect(errorsOf(writerOf(file), grown(example)).map(({ keyword }) => keyword)).toContain(
          "additionalProperties",
        );
      }
    });
  },
);

describe("an enum that is open", () => {
  it.each([
    ["Payment", "paymentStatus"],
    ["Refund", "paymentStatus"],
    ["AccountDetails", "accountType"],
    ["ErrorDetails", "errorCode"],
  ])("%s.%s takes other values from a provider, and not from us", (title, member) => {
    const file = files.find((candidate) => candidate.title === title);
    if (file === undefined) throw new Error(`no schema ${title}`);
    const value = { ...(examplesOf(file)[0] as object), [member]: "SOMETHING_NEW" };
    expect(errorsOf(readerOf(file) ?? writerOf(file), value)).toEqual([]);
    expect(errorsOf(writerOf(file), value)).toContainEqual(
      expect.objectContaining({ pointer: `/${member}`, keyword: "enum" }),
    );
  });

  it("still asks a known kind for what belongs to it", () => {
    const file = files.find(({ title }) => title === "Refund");
    if (file === undefined) throw new Error("no schema Refund");
    const failed = {
      paymentId: "ref_1",
      paymentStatus: "TERMINAL_FAILED",
      clientReferenceId: null,
    };
    expect(errorsOf(readerOf(file) ?? writerOf(file), failed)).toContainEqual(
      expect.objectContaining({ pointer: "/errorDetails", keyword: "required" }),
    );
  });
});

describe("the standard catalogue", () => {
  it("knows where amounts are", () => {
    const { events } = standardCatalogue;
    expect(events["payment.succeeded"].amounts).toEqual(["/data/amount/value"]);
    expect(events["refund.authorized"].amounts).toEqual([]);
  });

  it.each(Object.entries(standardCatalogue.events))("reads the examples of %s", (type, entry) => {
    const file = files.find(({ path }) => path === `events/${type}.schema.json`);
    if (file === undefined) throw new Error(`no schema of ${type}`);
    const [example] = examplesOf(file);
    expect(entry.validate(grown(example)).ok).toBe(true);
    expect(example).toMatchObject({ type, category: entry.category });
    // The resource's id is where the catalogue says.
    const id = entry.resource
      .slice(1)
      .split("/")
      .reduce<unknown>((value, member) => (value as Record<string, unknown>)[member], example);
    expect(id).toMatch(/^[a-z]+_/);
    expect(entry.validate({ ...(example as object), data: {} }).ok).toBe(false);
  });
});
