import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { ran } from "../ran.ts";
import { compilerOutput } from "./compile.ts";
import { eventBody, openApi } from "./openapi.ts";

type Parse = (body: string) => { readonly data: Record<string, unknown> } | undefined;

/** The document of the guide. */
function acme(): string {
  const guide = new URL("../../../../docs/guides/other-providers.md", import.meta.url);
  const blocks = readFileSync(guide, "utf8").matchAll(/```json\n(.*?)```/gs);
  const [, document = ""] = Array.from(blocks, ([, text = ""]) => text);
  const file = join(temporaryFolder(), "openapi.json");
  writeFileSync(file, document);
  return file;
}

/** Prints a document's types, compiles them with `use`, and imports them. */
async function parserOf(document: string, use: string): Promise<Parse> {
  const folder = dirname(document);
  const out = join(folder, "events.ts");
  const types = ["types", "--language", "typescript", "--openapi", document, "--out", out];
  expect(await ran(types)).toMatchObject({ status: 0, err: "" });
  const data =
    'import type { EventTypeMap } from "./events.ts";\ndeclare const data: EventTypeMap["invoice.paid"]["data"];\n';
  writeFileSync(join(folder, "use.ts"), `${data}${use}`);
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const strict =
    "--ignoreConfig --noEmit --strict --allowImportingTsExtensions --target es2023 --module nodenext";
  expect(compilerOutput("tsc", [...strict.split(" "), join(folder, "use.ts")])).toBe("");
  // The module that was just written has this function.
  return ((await import(pathToFileURL(out).href)) as { readonly parseEvent: Parse }).parseEvent;
}

it("the guide's event has the number that its TypeScript type declares", async () => {
  const parse = await parserOf(acme(), "export const total: number = data.total;\n");
  const event = {
    id: "1",
    type: "invoice.paid",
    created_at: "",
    data: { invoiceId: "a", total: 1050 },
  };
  expect(parse(JSON.stringify(event))?.data).toEqual({ invoiceId: "a", total: 1050 });
});

it("members of a TypeScript event are text where the schema has decimals, and numbers where it has integers", async () => {
  const amount = { type: "number", minimum: 0, maximum: 100_000 };
  const Price = {
    type: "object",
    required: ["value", "currency", "minor"],
    properties: {
      value: amount,
      currency: { type: "string", maxLength: 3 },
      minor: { type: "integer" },
      was: { $ref: "#/components/schemas/Price" },
    },
  };
  const price = { $ref: "#/components/schemas/Price" };
  const properties = {
    total: amount,
    count: { type: "integer" },
    price,
    lines: { type: "array", maxItems: 9, items: price },
    parts: { type: "array", maxItems: 9, items: amount },
    taxes: {
      type: "object",
      properties: { year: { type: "integer" } },
      additionalProperties: amount,
    },
    either: { oneOf: [price, { type: "string" }] },
  };
  const data = { type: "object", required: ["total", "count"], properties };
  const parse = await parserOf(
    openApi({ "invoice.paid": eventBody("invoice.paid", data) }, { schemas: { Price } }),
    `export const texts: (string | undefined)[] = [
  data.total, data.price!.value, data.lines![0]!.value, data.parts![0]!, data.price?.was?.was?.value,
];
export const numbers: (number | undefined)[] = [data.count, data.price!.minor, data.lines![0]!.minor];
export const either: "text" | string | undefined = typeof data.either === "object" ? data.either.value : "text";
`,
  );
  const one = '{"value":1.10,"currency":"EUR","minor":110,"was":{"value":2.50,"minor":250}}';
  const text = `{"total":10.50,"count":3,"price":${one},"lines":[${one},${one}],"parts":[0.1,2.00],"taxes":{"year":2026,"VAT":7.10},"either":${one},"added":1.5,"currency":"EUR","value":1.5}`;
  const body = `{"id":"1","type":"invoice.paid","data":${text}}`;
  const kept = { value: "1.10", currency: "EUR", minor: 110, was: { value: "2.50", minor: 250 } };
  expect(parse(body)?.data).toEqual({
    total: "10.50",
    count: 3,
    price: kept,
    lines: [kept, kept],
    parts: ["0.1", "2.00"],
    taxes: { year: 2026, VAT: "7.10" },
    either: kept,
    // No type declares these.
    added: 1.5,
    currency: "EUR",
    value: 1.5,
  });
  const strange = '{"total":null,"price":5,"lines":{},"taxes":[]}';
  expect(parse(`{"type":"invoice.paid","data":${strange}}`)?.data).toEqual(JSON.parse(strange));
});
