import { X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { createReceiver, memoryInbox, type Outcome } from "@countersign/receiver";
import { awsSns, paypal, plaid, type ProviderDocument } from "@countersign/receiver/providers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bodyOf, vectorFiles } from "../../signatures/test/provider-files.ts";

type KeyOf = (name: string) => Promise<string | undefined>;

const guide = readFileSync(new URL("../../../docs/guides/keys.md", import.meta.url), "utf8");

/** Returns the guide's function for a provider. @param change Changes its code. */
async function printed(title: string, change = (code: string): string => code): Promise<KeyOf> {
  const [, code = ""] =
    /```ts \w+\/key-of\.ts\n(.*?)```/s.exec(guide.split(`## ${title}\n`)[1] ?? "") ?? [];
  const folder = new URL(`output/keys/${crypto.randomUUID()}/`, import.meta.url);
  mkdirSync(folder, { recursive: true });
  const file = new URL("key-of.ts", folder);
  writeFileSync(file, change(code));
  return ((await import(file.href)) as { readonly keyOf: KeyOf }).keyOf;
}

function answerFetch(body: string, status = 200) {
  const fetch = vi
    .fn<typeof globalThis.fetch>()
    .mockImplementation(async () => new Response(body, { status }));
  vi.stubGlobal("fetch", fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
  return fetch;
}

/** Receives the first genuine vector of a provider, whose key the function finds. */
async function received(provider: ProviderDocument, keyOf: KeyOf): Promise<Outcome> {
  vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  const { vector, secrets } = genuine(provider);
  const receiver = createReceiver({
    provider,
    keyOf,
    secrets: Object.values(secrets),
    fallback: () => {},
    inbox: memoryInbox(),
    log: false,
    now: () => vector.now,
  });
  const { headers, url, method } = vector;
  return receiver.receive({ headers, body: bodyOf(vector), url, method });
}

function genuine({ name }: ProviderDocument) {
  const file = vectorFiles.find(({ provider }) => provider === name);
  const vector = file?.vectors.find(({ expected }) => expected === "accepts");
  if (file === undefined || vector?.key === undefined) throw new Error(`no vectors of ${name}`);
  return { vector, key: vector.key, secrets: file.secrets };
}

describe("the guide's keyOf", () => {
  it("of Plaid verifies an event with the key of Plaid's API, and takes no expired or unknown one", async () => {
    const keyOf = await printed("Plaid");
    const own = JSON.parse(genuine(plaid).key) as object;
    const key = { ...own, created_at: 1_560_466_143, expired_at: null };
    const fetch = answerFetch(JSON.stringify({ key, request_id: "r" }));
    expect(await received(plaid, keyOf)).toMatchObject({ kind: "unrouted" });
    expect(fetch).toHaveBeenCalledOnce();
    answerFetch(JSON.stringify({ key: { ...key, expired_at: 1_560_466_150 } }));
    expect(await keyOf("one")).toBeUndefined();
    answerFetch('{"error_code":"INVALID_WEBHOOK_VERIFICATION_KEY_ID"}', 400);
    expect(await keyOf("one")).toBeUndefined();
    answerFetch('{"error_code":"INVALID_API_KEYS"}', 400);
    await expect(keyOf("one")).rejects.toThrow("Plaid answered 400 INVALID_API_KEYS");
  });

  it("of Amazon SNS verifies an event with the certificate that it fetches", async () => {
    const keyOf = await printed("Amazon SNS");
    answerFetch(genuine(awsSns).key);
    expect(await received(awsSns, keyOf)).toMatchObject({ kind: "unrouted" });
    answerFetch("", 503);
    await expect(keyOf("https://sns.example/")).rejects.toThrow("answered 503");
  });

  it("of PayPal takes a certificate only if it is PayPal's and leads to a trusted root", async () => {
    const anyOwner = (code: string): string =>
      code.replace(/const owner = .*/, "const owner = /CN=/;");
    const root = rootCertificates.find((pem) => {
      const { subject, validTo } = new X509Certificate(pem);
      return subject.includes("CN=") && Date.parse(validTo) > Date.now();
    });
    if (root === undefined) throw new Error("no valid root");
    answerFetch(root);
    const loose = await printed("PayPal", anyOwner);
    const found = new X509Certificate((await loose("https://api.paypal.com/")) ?? "");
    expect(found.fingerprint256).toBe(new X509Certificate(root).fingerprint256);
    const keyOf = await printed("PayPal");
    expect(await keyOf("https://api.paypal.com/")).toBeUndefined();
    answerFetch(genuine(paypal).key);
    expect(await loose("https://api.paypal.com/")).toBeUndefined();
    answerFetch("none");
    expect(await loose("https://api.paypal.com/")).toBeUndefined();
    answerFetch("", 500);
    await expect(keyOf("https://api.paypal.com/")).rejects.toThrow("answered 500");
    const { key } = genuine(paypal);
    expect(await received(paypal, () => Promise.resolve(key))).toMatchObject({ kind: "unrouted" });
  });
});
