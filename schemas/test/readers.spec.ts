import { standardCatalogue } from "@countersign/schemas";
import { describe, expect, it } from "vitest";
import type { SchemaFile } from "../../scripts/schemas/load.ts";
import { errorsOf, examplesOf, files, grown, readerOf, writerOf } from "./schema-files.ts";

function fileOf(title: string): SchemaFile {
  const file = files.find((one) => one.title === title || one.path === title);
  if (file === undefined) throw new Error(`no schema ${title}`);
  return file;
}
const readerErrors = (file: SchemaFile, value: unknown) =>
  errorsOf(readerOf(file) ?? writerOf(file), value);

describe("a reader's validator", () => {
  it.each([
    ["Payment", "paymentStatus"],
    ["Refund", "paymentStatus"],
    ["AccountDetails", "accountType"],
    ["ErrorDetails", "errorCode"],
  ])("accepts other values of the open enum %s.%s, which the writer's refuses", (title, member) => {
    const file = fileOf(title);
    const value = { ...(examplesOf(file)[0] as object), [member]: "SOMETHING_NEW" };
    expect(readerErrors(file, value)).toEqual([]);
    expect(errorsOf(writerOf(file), value)).toContainEqual(
      expect.objectContaining({ pointer: `/${member}`, keyword: "enum" }),
    );
  });

  it("still requires the members of a known kind", () => {
    const failed = { paymentStatus: "TERMINAL_FAILED", paymentId: "a", clientReferenceId: null };
    expect(readerErrors(fileOf("Refund"), failed)).toContainEqual(
      expect.objectContaining({ pointer: "/errorDetails", keyword: "required" }),
    );
  });
});

describe("the standard catalogue", () => {
  it("lists the places of amounts", () => {
    const { events } = standardCatalogue;
    expect(events["payment.succeeded"].amounts).toEqual(["/data/amount/value"]);
    expect(events["refund.authorized"].amounts).toEqual([]);
  });

  it.each(Object.entries(standardCatalogue.events))("reads the examples of %s", (type, entry) => {
    const [example] = examplesOf(fileOf(`events/${type}.schema.json`));
    expect(entry.validate(grown(example)).ok).toBe(true);
    expect(example).toMatchObject({ type, category: entry.category });
    const members = (entry.resource ?? "").slice(1).split("/");
    const id = members.reduce((value, one) => (value as Record<string, unknown>)[one], example);
    expect(id).toMatch(/^[a-z]+_/);
    expect(entry.validate({ ...(example as object), data: {} }).ok).toBe(false);
  });
});
