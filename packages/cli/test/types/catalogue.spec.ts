import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createReceiver } from "@countersign/receiver";
import { sampleEvent } from "@countersign/sandbox";
import { standardCatalogue, type Catalogue } from "@countersign/schemas";
import { profiles } from "@countersign/schemas/profiles";
import { systemRandom } from "@countersign/service";
import { schemeOf } from "@countersign/signatures";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { files } from "../../../../schemas/test/schema-files.ts";
import { ran } from "../ran.ts";

// Within the workspace, where @countersign/receiver is found.
const home = fileURLToPath(new URL("../output/catalogue", import.meta.url));
type Types = Record<string, { readonly category: string }>;
const catalogues: Record<string, Catalogue<Types>> = {};

beforeAll(async () => {
  mkdirSync(home, { recursive: true });
  for (const profile of Object.keys(profiles)) {
    const out = join(home, `${profile}.ts`);
    const args = ["types", "--language", "typescript", "--validators", "--out", out];
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { status, err } = await ran([...args, "--profile", profile]);
    if (status !== 0) throw new Error(err);
    // The module that was just written has this member.
    const module = (await import(pathToFileURL(out).href)) as { catalogue: Catalogue<Types> };
    catalogues[profile] = module.catalogue;
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function eventOf(profile: "standard" | "x-signature", type: string): { id: string; body: string } {
  const event = sampleEvent({
    profile: profiles[profile],
    type,
    at: Date.now(),
    random: systemRandom,
    id: undefined,
    data: undefined,
  });
  if (!event.ok) throw new Error(event.code);
  return event;
}

describe("a catalogue of countersign types --validators", () => {
  it("says of the standard events what the standard catalogue says", () => {
    const { events } = catalogues["standard"] ?? {};
    const facts = (of: object): unknown => JSON.parse(JSON.stringify(of));
    expect(facts(events ?? {})).toEqual(facts(standardCatalogue.events));
  });

  it.each(Object.keys(standardCatalogue.events))(
    "judges %s as the generated reader does",
    (type) => {
      const file = files.find(({ path }) => path === `events/${type}.schema.json`);
      if (file === undefined) throw new Error(`${type} has no schema`);
      const { examples, "x-invalid": invalid } = file.schema as {
        readonly examples: readonly object[];
        readonly "x-invalid": readonly { readonly value: object }[];
      };
      const [example = {}] = examples;
      const others = [
        { ...example, added: true },
        { ...example, timestamp: "2026-02-30T09:30:00.000Z" },
        {
          ...example,
          data: { ...(example as { data?: object }).data, paymentStatus: "ADDED_SINCE" },
        },
        {
          ...example,
          data: { ...(example as { data?: object }).data, paymentStatus: "TERMINAL_FAILED" },
        },
        { ...example, data: {} },
        null,
        [],
      ];
      const standard: Readonly<Record<string, { validate: (value: unknown) => unknown }>> =
        standardCatalogue.events;
      for (const value of [...examples, ...invalid.map((one) => one.value), ...others])
        expect(errors(catalogues["standard"]?.events[type]?.validate(value))).toEqual(
          errors(standard[type]?.validate(value)),
        );
    },
  );

  it.each([...new Set(profiles["x-signature"].catalogue.map(({ type }) => type))])(
    "lets a receiver of another profile handle %s, and refuse one that is not of its form",
    async (type) => {
      const profile = profiles["x-signature"];
      const catalogue = catalogues["x-signature"];
      if (catalogue === undefined) throw new Error("there is no catalogue");
      const secret = "a-text-that-is-long-enough-to-be-a-key";
      const seen: unknown[] = [];
      const receiver = createReceiver({
        secrets: [secret],
        profile,
        catalogue,
        fallback: () => {
          throw new Error("every type has a handler");
        },
      }).on(type, (event) => void seen.push(event));
      const { id, body } = eventOf("x-signature", type);
      const signed = (text: string): Parameters<typeof receiver.receive>[0] => {
        const bytes = new TextEncoder().encode(text);
        const message = { id, timestamp: Math.floor(Date.now() / 1000), body: bytes };
        const headers = schemeOf(profile.signature).sign(message, [secret]);
        return { headers: { ...headers, "content-type": "application/json" }, body: bytes };
      };
      const wrong = body.replace('"resourceType":"', '"resourceType":"another ');
      expect(wrong).not.toBe(body);
      expect(await receiver.receive(signed(wrong))).toMatchObject({ code: "CS_EVENT_SCHEMA" });
      expect(await receiver.receive(signed(body))).toMatchObject({ kind: "handled" });
      expect(seen).toEqual([JSON.parse(body)]);
    },
  );

  it("knows where amounts are, and tells refunds from payments of one type", () => {
    const entry = catalogues["x-signature"]?.events["payment.failed"];
    expect(entry?.amounts).toEqual(["/metadata/amount/value"]);
    const { body } = eventOf("x-signature", "payment.failed");
    const event = JSON.parse(body) as { readonly metadata: object };
    const as = (changes: object): unknown =>
      errors(entry?.validate({ ...event, metadata: { ...event.metadata, ...changes } }));
    expect(as({})).toEqual([]);
    expect(as({ amount: undefined })).toEqual(["/metadata/amount required"]);
    expect(as({ paymentType: "CREDIT", amount: undefined, paymentStatus: "PENDING" })).toEqual([]);
    expect(
      as({ paymentType: "CREDIT", paymentStatus: "TERMINAL_FAILED", errorDetails: undefined }),
    ).toEqual(["/metadata/errorDetails required"]);
  });

  it("compiles, and narrows what a handler gets", async () => {
    const foreign = { type: "report.ready", category: "ACCOUNT", resource: "/data/id" };
    const known = profiles.standard.catalogue.slice(0, 1);
    const profile = { ...profiles.standard, name: "foreign", catalogue: [...known, foreign] };
    writeFileSync(join(home, "foreign.json"), JSON.stringify(profile));
    const out = join(home, "foreign.ts");
    const args = ["types", "--language", "typescript", "--validators", "--out", out];
    expect(await ran([...args, "--profile", join(home, "foreign.json")])).toMatchObject({
      status: 0,
    });
    writeFileSync(
      join(home, "use.ts"),
      `import { amountCents, createReceiver } from "@countersign/receiver";
import { profiles } from "@countersign/schemas/profiles";
import { catalogue } from "./x-signature.ts";
import { catalogue as standard } from "./standard.ts";
import { catalogue as foreign } from "./foreign.ts";
export const third = createReceiver({ secrets: ["x"], fallback: () => {}, catalogue: foreign })
  .on("report.ready", ({ type }) => void type)
  .on("payment.created", ({ data }) => void amountCents(data.amount));
export const receiver = createReceiver({ secrets: ["x"], fallback: () => {}, profile: profiles["x-signature"], catalogue })
  .on("payment.created", ({ metadata }) => void amountCents(metadata.amount))
  .on("customer.created", ({ metadata }) => void metadata.email)
  .on("ACCOUNT", ({ metadata }) => void metadata.customerId);
// @ts-expect-error no such event
receiver.on("refund.authorized", () => {});
export const other = createReceiver({ secrets: ["x"], fallback: () => {}, catalogue: standard })
  .on("refund.failed", ({ data }) => void data.errorDetails?.errorCode)
  .on("CUSTOMER", ({ data }) => void data.email);
`,
    );
    writeFileSync(
      join(home, "tsconfig.json"),
      '{"extends":"../../../../../test/tsconfig.json","include":["."],"exclude":[]}',
    );
    expect(spawnSync("tsc", ["-p", home], { encoding: "utf8" }).stdout).toBe("");
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
