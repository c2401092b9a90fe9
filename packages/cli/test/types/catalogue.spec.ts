import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startSandbox } from "@countersign/service/sandbox";
import { standardCatalogue, type Catalogue } from "@countersign/schemas";
import { profiles } from "@countersign/schemas/profiles";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { files } from "../../../../schemas/test/schema-files.ts";
import { ran } from "../ran.ts";
import { bodies, compilerOutput, dataIn, imported, written } from "./compile.ts";

// Within the workspace, where @countersign/receiver is found.
const home = fileURLToPath(new URL("../output/catalogue", import.meta.url));
type Types = Record<string, { readonly category: string }>;
type Judge = {
  readonly events: Readonly<Record<string, { validate: (value: unknown) => unknown }>>;
};

const catalogues: Record<string, Catalogue<Types>> = {};
beforeAll(async () => {
  mkdirSync(home, { recursive: true });
  const types = ["types", "--language", "typescript", "--validators"];
  for (const profile of Object.keys(profiles)) {
    const out = join(home, `${profile}.ts`);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { status, err } = await ran([...types, "--out", out, "--profile", profile]);
    if (status !== 0) throw new Error(err);
    // The module that was just written has this member.
    const module = (await import(pathToFileURL(out).href)) as { catalogue: Catalogue<Types> };
    catalogues[profile] = module.catalogue;
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The body of an event that a sandbox of the other built-in profile makes. */
async function sample(type: string): Promise<unknown> {
  await using sandbox = await startSandbox({ profile: "x-signature" });
  // The control's answer has this member.
  const made = (await sandbox.call("POST", "/sandbox/events", { type })) as { payload: string };
  return JSON.parse(made.payload);
}

describe("a catalogue of countersign types --validators", () => {
  it("has the facts of the standard catalogue, and judges each event as its reader does", () => {
    const generated: Judge = { events: catalogues["standard"]?.events ?? {} };
    const standard: Judge = standardCatalogue;
    const facts = (of: object): unknown => JSON.parse(JSON.stringify(of));
    expect(facts(generated.events)).toEqual(facts(standard.events));
    for (const type of Object.keys(standard.events)) {
      const file = files.find(({ path }) => path === `events/${type}.schema.json`);
      if (file === undefined) throw new Error(`${type} has no schema`);
      const { examples, "x-invalid": invalid } = file.schema as {
        readonly examples: readonly { readonly data?: object }[];
        readonly "x-invalid": readonly { readonly value: object }[];
      };
      const [example = {}] = examples;
      const status = (paymentStatus: string) => ({
        ...example,
        data: { ...example.data, paymentStatus },
      });
      const others = [
        { ...example, added: true },
        { ...example, timestamp: "2026-02-30T09:30:00.000Z" },
        status("ADDED_SINCE"),
        status("TERMINAL_FAILED"),
        { ...example, data: {} },
        null,
        [],
      ];
      const judge = ({ events }: Judge, value: unknown) => errors(events[type]?.validate(value));
      for (const value of [...examples, ...invalid.map((one) => one.value), ...others])
        expect([type, value, judge(generated, value)]).toEqual([
          type,
          value,
          judge(standard, value),
        ]);
    }
  });

  it("knows where amounts are, and separates refunds from payments of one type", async () => {
    const entry = catalogues["x-signature"]?.events["payment.failed"];
    expect(entry?.amounts).toEqual(["/metadata/amount/value"]);
    const event = (await sample("payment.failed")) as { readonly metadata: object };
    const as = (changes: object): unknown =>
      errors(entry?.validate({ ...event, metadata: { ...event.metadata, ...changes } }));
    const refund = { paymentType: "CREDIT" };
    expect(as({})).toEqual([]);
    expect(as({ amount: undefined })).toEqual(["/metadata/amount required"]);
    expect(as({ ...refund, amount: undefined, paymentStatus: "PENDING" })).toEqual([]);
    expect(as({ ...refund, clientReferenceId: 1 })).toEqual(["/metadata/clientReferenceId type"]);
  });

  it("compiles, and narrows the events of a handler", { tags: "ci" }, () => {
    writeFileSync(
      join(home, "use.ts"),
      `import { amountCents, createReceiver } from "@countersign/receiver";
import { reference, xSignature } from "@countersign/receiver/providers";
import { catalogue } from "./x-signature.ts";
import { catalogue as standard } from "./standard.ts";
export const receiver = createReceiver({ secrets: ["x"], fallback: () => {}, provider: xSignature, catalogue })
  .on("payment.created", ({ metadata }) => void amountCents(metadata.amount))
  .on("customer.created", ({ metadata }) => void metadata.email)
  .on("ACCOUNT", ({ metadata }) => void metadata.customerId);
// @ts-expect-error no such event
receiver.on("refund.authorized", () => {});
export const other = createReceiver({ secrets: ["x"], fallback: () => {}, provider: reference, catalogue: standard })
  .on("refund.failed", ({ data }) => void data.errorDetails?.errorCode)
  .on("CUSTOMER", ({ data }) => void data.email);
`,
    );
    writeFileSync(
      join(home, "tsconfig.json"),
      // Options that a merchant's project may have, and a cache that no other options share.
      `{"extends":"../../../../../test/tsconfig.json","include":["."],"exclude":[],
        "compilerOptions":{"tsBuildInfoFile":"tsbuildinfo","noUnusedLocals":true,"noUnusedParameters":true,"noImplicitReturns":true}}`,
    );
    expect(compilerOutput("tsc", ["-p", home])).toBe("");
  });
});

function errors(validation: unknown): unknown {
  const { ok, errors: all = [] } = validation as {
    readonly ok: boolean;
    readonly errors?: readonly { readonly pointer: string; readonly keyword: string }[];
  };
  const lines = all.map(({ pointer, keyword }) => `${pointer} ${keyword}`).toSorted();
  return ok ? lines : lines.length === 0 ? ["refused"] : lines;
}

// Other languages are in compiled.slow.ts.
it.each(["standard", "x-signature"] as const)(
  "the types of countersign types keep an amount exact in TypeScript of profile %s",
  async (profile) => {
    const file = await written("typescript", profile);
    const { parseEvent } = await imported(file);
    for (const [value, body] of bodies(profile)) {
      const exact = Number.isInteger(Number(value)) ? Number(value) : value;
      const data = { amount: { currency: "USD", value: exact }, added: "1.5" };
      expect(parseEvent(body)?.[dataIn[profile]]).toMatchObject(data);
    }
    expect(parseEvent('{"type":"added.since","eventType":"added.since"}')).toBeUndefined();
    expect(() => parseEvent("{")).toThrow(SyntaxError);
  },
);
