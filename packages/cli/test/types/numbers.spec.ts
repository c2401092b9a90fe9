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

it("a TypeScript event has exact decimals, and numbers where its schema has integers", async () => {
  const amount = { type: "number", minimum: 0, maximum: 100_000 };
  const properties = {
    total: amount,
    count: { type: "integer" },
    parts: { type: "array", maxItems: 9, items: amount },
  };
  const data = { type: "object", required: ["total", "count"], properties };
  const parse = await parserOf(
    openApi({ "invoice.paid": eventBody("invoice.paid", data) }),
    `import type { Decimal } from "./events.ts";
export const decimals: (Decimal | undefined)[] = [data.total, data.parts![0]!];
export const count: number = data.count;
`,
  );
  const body = `{"type":"invoice.paid","data":{"total":10.50,"count":3,"parts":[0.12345678901234567890,2.00]}}`;
  expect(parse(body)?.data).toEqual({
    total: "10.50",
    count: 3,
    parts: ["0.12345678901234567890", 2],
  });
});
