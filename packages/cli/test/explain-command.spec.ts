import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { standardWebhooks, xSignature } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { containing, SECRET } from "./fixtures.ts";
import { ran, type Ran } from "./ran.ts";
import { temporaryFolder } from "./start-command.ts";

const AT = "2026-02-11T10:00:00Z";
const timestamp = Date.parse(AT) / 1000;
const body = '{"id":"evt_1","type":"refund.failed"}';
const pretty = JSON.stringify(JSON.parse(body), null, 2);
const message = { id: "evt_1", timestamp, body: Buffer.from(body) };
const headers = standardWebhooks().sign(message, [SECRET]);

const http = (given: Readonly<Record<string, string>>, sent: string, end = "\r\n"): string =>
  [
    "POST /webhooks HTTP/1.1",
    ...Object.entries(given).map(([name, value]) => `${name}: ${value}`),
    "",
    sent,
  ].join(end);

const har = (...requests: object[]): string =>
  JSON.stringify({
    log: { entries: requests.map((request) => ({ startedDateTime: AT, request })) },
  });
const harRequest = (given: Readonly<Record<string, string>>, text: string, encoding?: string) => ({
  method: "POST",
  headers: Object.entries(given).map(([name, value]) => ({ name, value })),
  postData: { mimeType: "application/json", text, encoding },
});

function explain(
  recorded: string,
  {
    env = { COUNTERSIGN_SECRET: SECRET },
    more = ["--at", AT],
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly more?: readonly string[];
  } = {},
): Promise<Ran> {
  const file = join(temporaryFolder(), "request");
  writeFileSync(file, recorded);
  return ran(["explain", "--file", file, ...more], env);
}

describe("countersign explain", () => {
  it("exits with 0 for an attempt that verifies, with CRLF or LF between its headers", async () => {
    for (const end of ["\r\n", "\n"]) {
      // oxlint-disable-next-line no-await-in-loop -- one file after the other
      expect(await explain(http(headers, body, end))).toMatchObject({
        status: 0,
        out: "The attempt verifies: signature, body and timestamp are right.\n",
      });
    }
  });

  it("names the cause and its fix, and exits with 1", async () => {
    expect(await explain(http(headers, pretty))).toMatchObject({
      status: 1,
      out: containing(
        "body-reserialized: Your secret is right, but something re-serialised the JSON",
      ),
    });
    expect(
      await explain(http(headers, body), { more: ["--at", "2026-02-11T11:00:00Z"] }),
    ).toMatchObject({
      status: 1,
      out: containing("timestamp-too-old: The timestamp is 3600 s old"),
    });
  });

  it("ignores a final newline of the file that Content-Length does not count", async () => {
    const announced = { ...headers, "Content-Length": String(body.length) };

    expect(await explain(http(announced, `${body}\n`))).toMatchObject({ status: 0 });
    expect(await explain(http(headers, `${body}\n`))).toMatchObject({ status: 0 });
    const counted = { ...headers, "Content-Length": String(body.length + 1) };
    expect(await explain(http(counted, `${body}\n`))).toMatchObject({
      status: 1,
      out: containing("body-newline"),
    });
  });

  it("reads the first signed entry of a HAR file, or the chosen one, with its clock", async () => {
    const foreign = harRequest({ accept: "*/*" }, "");
    const encoded = harRequest(headers, Buffer.from(body).toString("base64"), "base64");
    const recorded = har(foreign, harRequest(headers, body), harRequest(headers, pretty), encoded);

    expect(await explain(recorded, { more: [] })).toMatchObject({ status: 0 });
    expect(await explain(recorded, { more: ["--entry", "4"] })).toMatchObject({ status: 0 });
    expect(await explain(recorded, { more: ["--entry", "3", "--json"] })).toMatchObject({
      status: 1,
    });
    expect(await explain(recorded, { more: ["--entry", "1"] })).toMatchObject({
      status: 1,
      out: containing("header-missing"),
    });
    expect(await explain(recorded, { more: ["--entry", "9"] })).toMatchObject({
      status: 2,
      err: containing("the HAR file has 4 entries, and there is no entry 9"),
    });
    expect(await explain(har(foreign), { more: [] })).toMatchObject({
      status: 2,
      err: containing("no entry has the header webhook-signature"),
    });
  });

  it("names the variables with the secrets, and never shows a secret", async () => {
    const quoted = await explain(http(headers, body), {
      env: { COUNTERSIGN_SECRET: `"${SECRET}"` },
    });
    expect(quoted).toMatchObject({ status: 1, out: containing("COUNTERSIGN_SECRET is in quotes") });
    expect(quoted.out).not.toContain(SECRET);

    const own = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const other = await explain(http(headers, body), {
      env: { COUNTERSIGN_SECRET: own, COUNTERSIGN_OTHER_SECRET: SECRET },
      more: ["--at", AT, "--json"],
    });
    expect(JSON.parse(other.out)).toMatchObject({
      verified: false,
      explanations: [{ cause: "secret-other", certain: true }],
    });
  });

  it("uses the scheme of the profile", async () => {
    const secret = "a-text-that-is-long-enough-to-be-a-key";
    const signed = xSignature().sign(message, [secret]);
    const more = ["--profile", "x-signature", "--at", AT];

    expect(
      await explain(http(signed, body), { env: { COUNTERSIGN_SECRET: secret }, more }),
    ).toMatchObject({ status: 0 });
    expect(await explain(http(signed, body))).toMatchObject({
      status: 1,
      out: containing("header-missing: The header webhook-id is missing, but"),
    });
  });

  it.each([
    ["a file that is not there", ["--file", "/nowhere/request.http"], "cannot read the file"],
    [
      "a file that is no request",
      ["--file", import.meta.filename],
      "neither a HAR file nor an HTTP",
    ],
    ["a time without a date", ["--file", "x", "--at", "10:00"], "expected a time such as"],
    ["an entry of 0", ["--file", "x", "--entry", "0"], "expected an integer from 1"],
    ["no file", [], "required option"],
  ])("exits with 2 for %s", async (_what, args, message_) => {
    expect(await ran(["explain", ...args], { COUNTERSIGN_SECRET: SECRET })).toMatchObject({
      status: 2,
      err: containing(message_),
    });
  });

  it("exits with 2 without a secret or with --entry for a raw request", async () => {
    expect(await explain(http(headers, body), { env: {} })).toMatchObject({
      status: 2,
      err: containing("missing secret of the receiver: set COUNTERSIGN_SECRET"),
    });
    expect(await explain(http(headers, body), { more: ["--entry", "1"] })).toMatchObject({
      status: 2,
      err: containing("--entry needs a HAR file"),
    });
  });
});
