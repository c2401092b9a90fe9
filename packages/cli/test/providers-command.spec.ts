import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createReceiver, type Receiver } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import * as constants from "@countersign/receiver/providers";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { type ProviderDocument, reference } from "@countersign/schemas/providers";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { vectorFiles } from "../../signatures/test/provider-files.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { providerSheet } from "../src/provider-sheet.ts";
import { SECRET } from "./fixtures.ts";
import { run } from "../src/program.ts";
import { quietSurroundings, ran } from "./ran.ts";

const documents = [...providersByName.values()];

describe("countersign providers", () => {
  it("lists each document with its replay bound, retries, deadline and signed text", async () => {
    const { status, out, err } = await ran(["providers"]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    const rows = out.trim().split("\n").slice(1);
    expect(rows.map((row) => row.split(" ")[0])).toEqual([...providersByName.keys()]);
    const row = rows.find((one) => one.startsWith("x-signature ")) ?? "";
    expect(row).toMatch(/ 300 s +76 h +15 s +id \+ "\." \+ timestamp \+ "\." \+ body$/);
    expect(rows.find((one) => one.startsWith("xero "))).toMatch(/ 24 h\? +5 s\? /);

    const json = JSON.parse((await ran(["providers", "--json"])).out) as { providers: object[] };
    expect(json.providers).toHaveLength(documents.length);
    expect(json.providers).toContainEqual({
      name: "x-signature",
      title: "X-Signature payment service",
      replaySeconds: 300,
      retries: { hours: 76 },
      deadlineSeconds: 15,
      unconfirmed: [],
      signed: 'id + "." + timestamp + "." + body',
    });
  });

  it.each([
    ["stripe", "body /id, signed", "300 s"],
    [
      "shopify",
      "header X-Shopify-Event-Id, not signed: counts with the type",
      "none but the inbox's retention",
    ],
    ["paystack", "none: equal bytes of one type are one event for 72 h", "none"],
    ["lemon-squeezy", "none: equal bytes of one type are one event for 24 h", "none"],
    ["woocommerce", "none: each attempt is another event", "none"],
  ])("says of %s what identifies an event, and what bounds a replay", (name, id, bound) => {
    const facts = Object.fromEntries(providerSheet(documentOf(name)).facts);
    expect([facts["event id"], facts["replay bound"]]).toEqual([id, bound]);
  });

  it("leaves titles out below 100 columns", async () => {
    const said = { out: "", err: "" };
    const quiet = quietSurroundings(said, {});
    const terminal = { ...quiet.terminal, columns: 60 };
    await run(["providers", "shopi"], { ...quiet, terminal });
    expect(said.out).toMatch(
      /NAME +REPLAY +RETRIES +DEADLINE +SIGNED\nshopify +- +4 h +5 s +body\n$/,
    );
  });

  it("searches names, titles, algorithms and event types", async () => {
    const names = async (word: string): Promise<readonly (string | undefined)[]> => {
      const { out } = await ran(["providers", word]);
      return out
        .trim()
        .split("\n")
        .slice(1)
        .map((row) => row.split(" ")[0]);
    };
    expect(await names("SHOPI")).toEqual(["shopify"]);
    expect(await names("ed25519")).toEqual(["discord", "telnyx"]);
    expect(await names("checkout.session.completed")).toEqual(["stripe"]);
  });

  it("prints one with the code that mounts it, its secret, its traps and its events", async () => {
    const traps = ["Retries of one event differ in their bytes."];
    const file = fileOf({ ...reference, name: "acme-pay", title: "Acme Pay", traps });
    const { status, out, err } = await ran(["providers", file]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out).toContain(`const acmePay = JSON.parse(readFileSync("${file}", "utf8"));`);
    expect(out).toContain('secrets: [process.env["ACME_PAY_WEBHOOK_SECRET"]],');
    expect(out).toContain(reference.secret?.where);
    expect(out).toContain(traps[0]);
    expect(out).toMatch(/^refund\.pending {2}PAYMENT$/m);
    const json = (await ran(["providers", "reference", "--json"])).out;
    expect(JSON.parse(json)).toMatchObject({ provider: reference });
  });

  it.each(documents)("names the constant that the receiver exports for $name", (provider) => {
    const { mount, facts } = providerSheet(provider);
    const [, constant = ""] =
      /import \{ (\w+) \} from "@countersign\/receiver\/providers"/.exec(mount) ?? [];
    expect(new Map(Object.entries(constants)).get(constant)).toBe(provider);
    for (const [, text] of facts) expect(text).not.toMatch(/undefined|\[object/);
  });
});

describe("the code that mounts a receiver", () => {
  it.each(documents)("of $name starts one, which warns of no lost event", async (provider) => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    onTestFinished(() => void vi.restoreAllMocks());
    const { mount } = providerSheet(provider);
    const { secrets = { a: SECRET } } =
      vectorFiles.find((file) => file.provider === provider.name) ?? {};
    const secret = Object.values(secrets)[0] ?? SECRET;
    const given = {
      ...constants,
      createReceiver,
      toExpress,
      sqliteInbox: (name: string) => {
        const inbox = sqliteInbox(join(temporaryFolder(), name));
        onTestFinished(() => inbox.close());
        return inbox;
      },
      keyOf: () => Promise.resolve(undefined),
      app: { post: () => {}, all: () => {} },
      process: { env: new Proxy({}, { get: () => secret }) },
    };
    const code = `${mount.replaceAll(/^import .*\n/gm, "")}\nreturn receiver;`;
    // oxlint-disable-next-line typescript/no-implied-eval -- the code that the page prints
    const mounted = new Function(...Object.keys(given), code) as (...values: unknown[]) => Receiver;
    await mounted(...Object.values(given)).stop();
    const codes = warn.mock.calls.map(([, options]) => options as unknown as { code: string });
    expect(codes.map(({ code: one }) => one)).not.toContain("CS_SENDER_NEVER_RETRIES");
  });

  it.each([
    ["paypal", ["keyOf,", 'secrets: [process.env["PAYPAL_WEBHOOK_SECRET"]],']],
    ["plaid", ["keyOf,"]],
    ["livekit", ['claims: { apiKey: process.env["LIVEKIT_API_KEY"] ?? "" },']],
    ["github", ['acknowledge: "after-store",']],
    ["slack", ['acknowledge: "after-store",']],
  ])("of %s has what the provider needs", (name, lines) => {
    const { mount } = providerSheet(documentOf(name));
    for (const line of lines) expect(mount).toContain(`\n  ${line}\n`);
    expect(mount.includes("secrets:")).toBe(name !== "plaid");
  });
});

it("the facts of Slack have the type and the id of commands and interactions too", () => {
  expect(providerSheet(documentOf("slack")).facts).toContainEqual([
    "variant 1",
    'if form command begins with "/": type form command; id form trigger_id, signed',
  ]);
});

describe("a provider that cannot be used", () => {
  it("is reported with the name that is meant, or the command that lists them", async () => {
    const { status, err } = await ran(["providers", "refrence"]);
    expect(status).toBe(2);
    expect(err).toMatch(/CS_CLI_PROVIDER_UNUSABLE: unknown provider or unreadable file "refrence"/);
    expect(err).toContain("did you mean reference?");
    const unlike = await ran(["providers", "nobody-knows-this"]);
    expect(unlike.err).toContain("; list them with: countersign providers");
  });

  it.each([
    ["is no JSON", "{", /broken\.json is not JSON/],
    ["has a member too many", { ...reference, tolerance: 5 }, /broken\.json[^]*tolerance/],
    [
      "signs no body",
      {
        ...reference,
        signature: { ...reference.signature, signed: ["id", { text: "." }, "timestamp"] },
      },
      /broken\.json[^]*body/,
    ],
  ])("is reported with its file and member if it %s", async (_what, document, message) => {
    const file = fileOf(document, "broken.json");
    const { status, err } = await ran(["providers", file]);
    expect(status).toBe(2);
    expect(err).toMatch(/CS_CLI_PROVIDER_UNUSABLE/);
    expect(err).toMatch(message);
  });
});

it("verify receiver --provider aws-sns says why the kit cannot write its attempts", async () => {
  const args = ["verify", "receiver", "--url", "http://127.0.0.1:9/", "--provider", "aws-sns"];
  const { status, err } = await ran(args, { COUNTERSIGN_SECRET: SECRET });
  expect(status).toBe(2);
  expect(err).toContain("attempts of aws-sns cannot be made: each names its key");
});

it("a secret in the wrong form is reported with the provider and the place that shows the right one", async () => {
  const args = ["send", "refund.failed", "--url", "http://127.0.0.1:9/"];
  const { status, err } = await ran(args, { COUNTERSIGN_SECRET: "short" });
  expect(status).toBe(2);
  expect(err).toMatch(/CS_CLI_SECRET_UNUSABLE: COUNTERSIGN_SECRET is too short/);
  expect(err).toContain(`Reference payment service shows it at: ${reference.secret?.where ?? ""}`);
});

function documentOf(name: string): ProviderDocument {
  const provider = providersByName.get(name);
  if (provider === undefined) throw new Error(`no document of ${name}`);
  return provider;
}

function fileOf(document: unknown, name = "provider.json"): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document));
  return file;
}
