import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFromFile } from "json-schema-to-typescript";
import {
  FetchingJSONSchemaStore,
  InputData,
  JSONSchemaInput,
  quicktype,
  type JSONSchema,
} from "quicktype-core";
import { afterAll, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const root = new URL("../../../", import.meta.url);
const home = temporaryFolder(afterAll);
const schemas = join(home, "schemas");
cpSync(fileURLToPath(new URL("schemas/reader", root)), schemas, { recursive: true });
const openapi = new URL("packages/service/generated/standard/reader/openapi.json", root);
writeFileSync(join(home, "package.json"), '{"type":"module"}');

function output(command: string, args: readonly string[]): string {
  const { stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (error !== undefined) throw error;
  return stdout + stderr;
}

/** Runs a script of a package that this one depends on. */
function generate(script: string, args: readonly string[]): void {
  const path = fileURLToPath(new URL(`../node_modules/${script}`, import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
}

/** A partner's program that handles an event of a later version and compiles in strict TypeScript. */
const use = (types: string, typeName: string): string => `${types}
const later = {
  id: "evt_1",
  type: "payment.authorized",
  category: "PAYMENT",
  timestamp: "2026-11-21T09:30:00.000Z",
  addedLater: true,
  data: {
    paymentId: "pay_1",
    direction: "DEBIT",
    customerId: "cus_1",
    amount: { currency: "USD", value: 10.5, addedLater: "1" },
    paymentStatus: "AUTHORIZED",
    clientReferenceId: null,
    creationDate: "2026-11-20T16:10:00.000Z",
    covered: false,
    addedLater: [1],
  },
} as const;
export const event: ${typeName} = later;
`;

/** A refund whose status was added later. */
const refund = (typeName: string): string =>
  `export const refund: ${typeName} = { paymentId: "ref_1", paymentStatus: "ADDED_LATER", clientReferenceId: null };
// @ts-expect-error a status is a string
export const wrong: ${typeName} = { paymentId: "ref_1", paymentStatus: 1, clientReferenceId: null };
`;

function compiled(name: string, text: string): string {
  const file = join(home, name, "use.ts");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const strict =
    "--ignoreConfig --noEmit --strict --skipLibCheck --noUncheckedIndexedAccess --allowImportingTsExtensions --target es2023 --module nodenext";
  return output("tsc", [...strict.split(" "), file]);
}

it("openapi-typescript makes types that accept added members and values", () => {
  const out = join(home, "types.ts");
  generate("openapi-typescript/bin/cli.js", [fileURLToPath(openapi), "--output", out]);
  const schema = (title: string): string => `components["schemas"]["${title}"]`;
  const types = 'import type { components } from "../types.ts";';
  expect(
    compiled(
      "openapi-typescript",
      use(types, schema("PaymentAuthorizedEvent")) + refund(schema("Refund")),
    ),
  ).toBe("");
});

it("hey-api makes types that accept added members and values", () => {
  const out = join(home, "hey");
  const args = ["-i", fileURLToPath(openapi), "-o", out, "-p", "@hey-api/typescript"];
  generate("@hey-api/openapi-ts/bin/run.js", args);
  const types = 'import type { PaymentAuthorizedEvent, Refund } from "../hey/types.gen.ts";';
  expect(compiled("hey-api", use(types, "PaymentAuthorizedEvent") + refund("Refund"))).toBe("");
});

it("json-schema-to-typescript makes types that accept added members and values", async () => {
  for (const [name, path] of [
    ["event", "events/payment.authorized"],
    ["refund", "resources/refund"],
  ] as const)
    writeFileSync(
      join(home, `${name}.ts`),
      await compileFromFile(join(schemas, `${path}.schema.json`), {
        cwd: dirname(join(schemas, path)),
        $refOptions: { resolve: { http: false } },
      }),
    );
  const types =
    'import type { PaymentAuthorizedEvent } from "../event.ts";\nimport type { Refund } from "../refund.ts";';
  expect(
    compiled("json-schema-to-typescript", use(types, "PaymentAuthorizedEvent") + refund("Refund")),
  ).toBe("");
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
    ["PaymentAuthorizedEvent", "events/payment.authorized"],
    ["Refund", "resources/refund"],
  ] as const)
    await input.addSource({
      name,
      schema: readFileSync(join(schemas, `${path}.schema.json`), "utf8"),
    });
  const inputData = new InputData();
  inputData.addInput(input);
  const { lines } = await quicktype({
    inputData,
    lang: "typescript",
    rendererOptions: { "just-types": true },
  });
  writeFileSync(join(home, "quick.ts"), lines.join("\n"));
  const types = 'import type { PaymentAuthorizedEvent, Refund } from "../quick.ts";';
  expect(compiled("quicktype", use(types, "PaymentAuthorizedEvent") + refund("Refund"))).toBe("");
});
