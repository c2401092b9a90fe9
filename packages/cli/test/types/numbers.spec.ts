import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { ran } from "../ran.ts";
import { compilerOutput } from "./compile.ts";

type Parse = (body: string) => { readonly data: Record<string, unknown> } | undefined;

/** The provider of the guide: its document and its event's schema, or another schema. */
function acme(schema?: object): string {
  const guide = new URL("../../../../docs/guides/other-providers.md", import.meta.url);
  const blocks = readFileSync(guide, "utf8").matchAll(/```json\n(.*?)```/gs);
  const [provider = "", document = "", example = ""] = Array.from(blocks, ([, text = ""]) => text);
  const folder = join(temporaryFolder(), "acme");
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("provider.json", provider);
  write("profile.json", document);
  write("events/invoice.paid.schema.json", schema === undefined ? example : JSON.stringify(schema));
  return folder;
}

/** Prints a provider's types, compiles them with `use`, and imports them. */
async function parserOf(profile: string, use: string): Promise<Parse> {
  const folder = dirname(profile);
  const out = join(folder, "events.ts");
  const types = ["types", "--language", "typescript", "--profile", profile, "--out", out];
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
  const price = {
    type: "object",
    required: ["value", "currency", "minor"],
    properties: {
      value: amount,
      currency: { type: "string", maxLength: 3 },
      minor: { type: "integer" },
    },
  };
  const properties = {
    total: amount,
    count: { type: "integer" },
    price,
    lines: { type: "array", maxItems: 9, items: price },
    parts: { type: "array", maxItems: 9, items: amount },
  };
  const profile = acme({ type: "object", required: ["total", "count"], properties });
  const parse = await parserOf(
    profile,
    `export const texts: string[] = [data.total, data.price!.value, data.lines![0]!.value, data.parts![0]!];
export const numbers: number[] = [data.count, data.price!.minor, data.lines![0]!.minor];
`,
  );
  const one = '{"value":1.10,"currency":"EUR","minor":110}';
  const data = `{"total":10.50,"count":3,"price":${one},"lines":[${one},${one}],"parts":[0.1,2.00],"added":1.5,"currency":"EUR","value":1.5}`;
  const body = `{"id":"1","type":"invoice.paid","created_at":"","data":${data}}`;
  const kept = { value: "1.10", currency: "EUR", minor: 110 };
  expect(parse(body)?.data).toEqual({
    total: "10.50",
    count: 3,
    price: kept,
    lines: [kept, kept],
    parts: ["0.1", "2.00"],
    // No type declares these.
    added: 1.5,
    currency: "EUR",
    value: 1.5,
  });
  expect(parse('{"type":"invoice.paid","data":{"total":null,"price":5,"lines":{}}}')?.data).toEqual(
    {
      total: null,
      price: 5,
      lines: {},
    },
  );
});
