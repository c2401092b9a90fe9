import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { attemptMaker } from "@countersign/contract-kit/attempts";
import { type ProviderDocument, square } from "@countersign/schemas/providers";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { schemeOf, standardWebhooks } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { Signing } from "../../contract-kit/src/harness/signing.ts";
import { containing, SECRET } from "./fixtures.ts";
import { ran, type Ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const AT = "2026-02-11T10:00:00Z";
const timestamp = Date.parse(AT) / 1000;
const body = '{"id":"evt_1","type":"refund.failed"}';
const pretty = JSON.stringify(JSON.parse(body), null, 2);
const message = { id: "evt_1", timestamp, body: Buffer.from(body) };
const headers = standardWebhooks().sign(message, [SECRET]).headers;

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
  more: readonly string[] = ["--at", AT],
  env: Readonly<Record<string, string>> = { COUNTERSIGN_SECRET: SECRET },
): Promise<Ran> {
  const file = join(temporaryFolder(), "request");
  writeFileSync(file, recorded);
  return ran(["explain", "--file", file, ...more], env);
}

const verified = { status: 0, out: containing("verified: ") };
const finds = (cause: string): object => ({ status: 1, out: containing(`${cause}: `) });
const fails = (problem: string): object => ({ status: 2, err: containing(problem) });

/** Makes a provider's attempts, and the environment that verifies them. */
function signerOf(provider: ProviderDocument, url: URL) {
  const claims = { apiKey: "key" };
  const signing = new Signing(provider, claims);
  const secret = signing.stranger("own");
  const rows = provider.catalogue ?? [{ type: "order.paid" }];
  const maker = attemptMaker({ provider, url, secrets: [secret], prefix: "evt_x", rows, claims });
  const verifying = signing.verifyingSecret(secret);
  const COUNTERSIGN_SECRET = typeof verifying === "string" ? verifying : secret;
  return { maker, env: { COUNTERSIGN_SECRET, COUNTERSIGN_API_KEY: "key" } };
}

describe("countersign explain", () => {
  it("exits with 0 for an attempt that verifies, with CRLF or LF; else with 1, the cause and its fix", async () => {
    expect(await explain(http(headers, body))).toMatchObject(verified);
    expect(await explain(http(headers, body, "\n"))).toMatchObject(verified);
    const changed = await explain(http(headers, pretty));
    expect(changed).toMatchObject(finds("body-reserialized"));
    expect(changed.out).toContain("Your secret is right, but something re-serialised the JSON");
    expect(changed.out).toContain("/docs/reference/codes.md#body-reserialized\n");
    const late = await explain(http(headers, body), ["--at", "2026-02-11T11:00:00Z"]);
    expect(late).toMatchObject(finds("timestamp-too-old"));
  });

  it("names --provider if it is absent and the signature's header too", async () => {
    const { out } = await explain(http({ "stripe-signature": "t=1,v1=00" }, body));
    expect(out).toMatch(/^header-missing: .*stripe-signature is present.*Without --provider /s);
  });

  it("ignores a final newline of the file that Content-Length does not count", async () => {
    const counted = (length: number) => ({ ...headers, "Content-Length": String(length) });
    const ended = `${body}\n`;
    expect(await explain(http(counted(body.length), ended))).toMatchObject(verified);
    expect(await explain(http(headers, ended))).toMatchObject(verified);
    const whole = await explain(http(counted(ended.length), ended));
    expect(whole).toMatchObject(finds("body-newline"));
  });

  it("reads the first signed entry of a HAR file, or the chosen one, with its clock", async () => {
    const foreign = harRequest({ accept: "*/*" }, "");
    const encoded = harRequest(headers, Buffer.from(body).toString("base64"), "base64");
    const recorded = har(foreign, harRequest(headers, body), harRequest(headers, pretty), encoded);
    const entry = (number: string) => explain(recorded, ["--entry", number]);
    expect(await explain(recorded, [])).toMatchObject(verified);
    expect(await entry("4")).toMatchObject(verified);
    expect(await entry("3")).toMatchObject(finds("body-reserialized"));
    expect(await entry("1")).toMatchObject(finds("header-missing"));
    expect(await entry("9")).toMatchObject(fails("has 4 entries, and entry 9 does not exist"));
    const unsigned = await explain(har(foreign), []);
    expect(unsigned).toMatchObject(fails("no entry has the header webhook-signature"));
  });

  it("names the variable with the secret, and never shows the secret", async () => {
    const env = { COUNTERSIGN_SECRET: `"${SECRET}"` };
    const quoted = await explain(http(headers, body), ["--at", AT], env);
    expect(quoted).toMatchObject({ status: 1, out: containing("COUNTERSIGN_SECRET is in quotes") });
    expect(quoted.out).not.toContain(SECRET);
  });

  it("uses the scheme of a provider, whose signature may cover the public URL", async () => {
    const secret = "a-text-that-is-long-enough-to-be-a-key";
    const env = { COUNTERSIGN_SECRET: secret };
    const at = "https://shop.example/webhooks";
    const signed = schemeOf(square).sign({ ...message, url: at }, [secret]).headers;
    const recorded = http({ "content-type": "application/json", ...signed }, body);
    const by = ["--provider", "square", "--at", AT];
    expect(await explain(recorded, [...by, "--url", at], env)).toMatchObject(verified);
    expect(await explain(recorded, [...by, "--url", `${at}/`], env)).toMatchObject({ status: 1 });
    const unnamed = fails("Square signs the public URL of the receiver: name it with --url");
    expect(await explain(recorded, by, env)).toMatchObject(unnamed);
  });

  it.each([...providersByName.values()].filter(({ signature }) => signature.keyFrom === undefined))(
    "names the cause of a changed attempt of $name, and verifies the genuine one",
    async (provider) => {
      const url = new URL("https://shop.example/webhooks");
      const { maker, env } = signerOf(provider, url);
      const raw = (attempt: ReturnType<typeof maker.attempt>): string => {
        const { headers: sent, body: bytes, path } = attempt;
        const lines = sent.map(([name, value]) => `${name}: ${value}`);
        return [`POST ${path ?? url.pathname} HTTP/1.1`, ...lines, "", bytes.toString()].join(
          "\r\n",
        );
      };
      const by = ["explain", "--provider", provider.name, "--file", "-"];
      const at = schemeOf(provider).needsUrl ? ["--url", url.href] : [];
      const genuine = await ran([...by, ...at], env, raw(maker.attempt()));
      expect(genuine).toMatchObject(verified);
      const forged = maker.attempt({ secrets: [maker.signing.stranger("other")] });
      const other = await ran([...by, ...at], env, raw(forged));
      expect(other.out).toMatch(/^(?:probably )?(?:secret|signature|token|value)-[a-z]+: /);
      expect(other.status).toBe(1);
    },
  );

  it("exits with 2 for a wrong argument, an unreadable file, and without a secret", async () => {
    const exchange = http(headers, body);
    const file = (path: string) => ran(["explain", "--file", path], { COUNTERSIGN_SECRET: SECRET });
    expect(await file("/nowhere/request.http")).toMatchObject(fails("cannot read the file"));
    expect(await file(import.meta.filename)).toMatchObject(fails("neither a HAR file nor an HTTP"));
    for (const [more, problem] of [
      [["--at", "10:00"], "expected a time such as"],
      [["--entry", "0"], "expected an integer from 1"],
      [["--entry", "1"], "--entry needs a HAR file"],
    ] as const)
      expect(await explain(exchange, more)).toMatchObject(fails(problem));
    const missing = fails("missing signing secret: set COUNTERSIGN_SECRET");
    expect(await explain(exchange, [], {})).toMatchObject(missing);
  });
});
