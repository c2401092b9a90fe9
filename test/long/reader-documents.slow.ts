import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  FetchingJSONSchemaStore,
  InputData,
  JSONSchemaInput,
  quicktype,
  type JSONSchema,
} from "quicktype-core";
import { afterAll, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const root = new URL("../../", import.meta.url);
const home = temporaryFolder(afterAll);
const schemas = join(home, "schemas");
cpSync(fileURLToPath(new URL("schemas/reader", root)), schemas, { recursive: true });
const openapi = new URL("schemas/openapi.json", root);
writeFileSync(join(home, "package.json"), '{"type":"module"}');

/** A partner's program that handles an event of a later version and compiles in strict TypeScript. */
function use(types: string, typeName: string): string {
  const path = join(schemas, "events/payment.authorized.schema.json");
  const { examples } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly examples: readonly [{ readonly data: { readonly amount: object } }];
  };
  const [{ data, ...event }] = examples;
  const amount = { ...data.amount, addedLater: "1" };
  const later = { ...event, data: { ...data, amount, addedLater: [1] }, addedLater: true };
  return `${types}
const later = ${JSON.stringify(later)} as const;
export const event: ${typeName} = later;
`;
}

/** A refund whose status was added later. */
const refund = (typeName: string): string =>
  `export const refund: ${typeName} = { paymentId: "ref_1", paymentStatus: "ADDED_LATER", clientReferenceId: null };
// @ts-expect-error a status is a string
export const wrong: ${typeName} = { paymentId: "ref_1", paymentStatus: 1, clientReferenceId: null };
`;

/** The compiler's complaints about a program that uses the types under these names. */
function complaints(types: string, event: string, status: string): string {
  const file = join(home, "use.ts");
  writeFileSync(file, use(types, event) + refund(status));
  const strict =
    "--ignoreConfig --noEmit --strict --skipLibCheck --noUncheckedIndexedAccess --allowImportingTsExtensions --target es2023 --module nodenext";
  const args = [...strict.split(" "), file];
  const { stdout, stderr, error } = spawnSync("tsc", args, { encoding: "utf8" });
  if (error !== undefined) throw error;
  return stdout + stderr;
}

it("openapi-typescript makes types that accept added members and values", () => {
  const out = join(home, "types.ts");
  const cli = fileURLToPath(new URL("node_modules/openapi-typescript/bin/cli.js", import.meta.url));
  const args = [cli, fileURLToPath(openapi), "--output", out];
  expect(spawnSync(process.execPath, args, { encoding: "utf8" })).toMatchObject({ status: 0 });
  const schema = (title: string): string => `components["schemas"]["${title}"]`;
  const types = 'import type { components } from "./types.ts";';
  expect(complaints(types, schema("PaymentAuthorizedEvent"), schema("Refund"))).toBe("");
});

it("quicktype makes types that accept added members and values", async () => {
  class FolderStore extends FetchingJSONSchemaStore {
    override fetch(address: string): Promise<JSONSchema | undefined> {
      const path = address.replace("https://countersign.example/schemas/reader/", "");
      return Promise.resolve(JSON.parse(readFileSync(join(schemas, path), "utf8")) as JSONSchema);
    }
  }
  const input = new JSONSchemaInput(new FolderStore());
  for (const [name, path] of [
    ["PaymentAuthorizedEvent", "events/payment.authorized.schema.json"],
    ["Refund", "resources/refund.schema.json"],
  ] as const)
    await input.addSource({ name, schema: readFileSync(join(schemas, path), "utf8") });
  const inputData = new InputData();
  inputData.addInput(input);
  const rendererOptions = { "just-types": true };
  const { lines } = await quicktype({ inputData, lang: "typescript", rendererOptions });
  writeFileSync(join(home, "quick.ts"), lines.join("\n"));
  const types = 'import type { PaymentAuthorizedEvent, Refund } from "./quick.ts";';
  expect(complaints(types, "PaymentAuthorizedEvent", "Refund")).toBe("");
});
