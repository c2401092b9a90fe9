import { generateKeyPairSync } from "node:crypto";
import { profiles } from "@countersign/schemas/profiles";
import { xSignature } from "@countersign/schemas/providers";
import { schemeOf, standardWebhooks } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { signerOf } from "../../src/delivery/signer.ts";
import { undiciTransport } from "../../src/delivery/egress/transport.ts";
import { startReceiver } from "./listening.ts";
import { answered, fakeTransport, openQueue } from "./queue.ts";

const network = () => undiciTransport({ deadlineMs: 10_000, allowLoopback: true });

it("[P-EVENT-HEADERS] B19: a merchant who changes secrets through a second subscription verifies the stored bytes of every attempt, and counts each event once by its id", async () => {
  const queue = await openQueue();
  const { arrived, url } = await startReceiver();
  const engine = queue.engine(network());
  const secretOf = (number: number): string => `secret-number-${String(number).padStart(12, "0")}`;
  const subscribe = (number: number): Promise<void> =>
    queue.subscribe(`sub_${number}`, { url: url.href, secret: secretOf(number) });
  const payload = '{ "amount": 10.50, "name":"Zoë \\u20ac €" }';
  const headers = { "content-type": "application/json", "user-agent": "Countersign/test" };
  const verified: (string | undefined)[] = [];
  await subscribe(0);
  for (let number = 0; number < 3; number += 1) {
    await subscribe(number + 1);
    await queue.publish(10, [`sub_${number}`, `sub_${number + 1}`], { payload });
    await engine.drain("clk_1");
    for (const one of arrived.splice(0)) {
      expect(one).toMatchObject({ line: "POST /hooks?a=1", headers });
      expect(one.headers).not.toHaveProperty("accept-encoding");
      expect(one.body.toString()).toBe(payload);
      // The merchant knows the old secret and the new one.
      const known = [{ raw: secretOf(number) }, { raw: secretOf(number + 1) }];
      const verdict = standardWebhooks().verify(one, known, { now: queue.clock.now() });
      verified.push(verdict.ok ? verdict.id : undefined);
    }
    const close = "UPDATE subscriptions SET status = 'CLOSED' WHERE key = $1";
    await queue.write(close, [`sub_${number}`]);
  }
  expect(verified).toHaveLength(60);
  expect(verified).not.toContain(undefined);
  expect(new Set(verified).size).toBe(30);
});

describe("an attempt that cannot be made", () => {
  it("B7 is recorded as a failure when the stored URL is forbidden, private or of a port that is not allowed", async () => {
    const queue = await openQueue();
    const urls = ["ftp://merchant.example/", "http://10.0.0.1/", "https://10.0.0.1/"];
    urls.push("https://10.0.0.1:22/", "https://10.0.0.1:8443/");
    await queue.subscribeMany(urls.length, (number) => ({ url: urls[number] }));
    const endpoints = { allowLoopback: true, ports: [80, 443, 8443] };
    await queue.engine(network(), { endpoints }).drain("clk_1");
    const results = (await queue.attempts()).map(({ status, error }) => status ?? error);
    expect(results).toEqual(urls.map(() => "CS_ATTEMPT_URL_REFUSED"));
    expect(new Set(await queue.states())).toEqual(new Set(["waiting"]));
  });

  it("is recorded as a failure and posts nothing when the secret cannot sign", async () => {
    const queue = await openQueue("sub_1");
    await queue.enqueue("sub_1");
    const transport = fakeTransport(() => answered(204));
    await queue.engine(transport, { sign: () => undefined }).drain("clk_1");
    expect(await queue.attempts()).toMatchObject([{ error: "CS_ATTEMPT_SECRET_UNUSABLE" }]);
    expect(transport.posts).toEqual([]);
  });
});

describe("the signature of an attempt", () => {
  const message = { id: "evt_1", timestamp: 1_793_620_800, body: Buffer.from("{}") };
  const now = message.timestamp * 1000;
  const bytes = "0123456789abcdef0123456789abcdef";
  const prefixed = `whsec_${Buffer.from(bytes).toString("base64")}`;

  it("uses whsec_ secrets decoded and other text as it is under Standard Webhooks, and all text as it is under x-signature", () => {
    const { body } = message;
    const signed = (secret: string) => signerOf(profiles.standard)(message, secret) ?? {};
    for (const secret of [prefixed, bytes]) {
      const attempt = { headers: signed(secret), body };
      expect(standardWebhooks().verify(attempt, [{ raw: bytes }], { now }).ok).toBe(true);
    }
    // The signer remembers only some secrets; those that it has forgotten sign as before.
    const sign = signerOf(profiles.standard);
    const first = sign(message, bytes);
    for (let count = 0; count < 5000; count += 1) sign(message, `${bytes}${count}`);
    expect(sign(message, bytes)).toEqual(first);
    const headers = signerOf(profiles["x-signature"])(message, prefixed) ?? {};
    const scheme = schemeOf(xSignature);
    const verify = (raw: string) => scheme.verify({ headers, body }, [{ raw }], { now }).ok;
    expect([verify(prefixed), verify(bytes)]).toEqual([true, false]);
  });

  it("is not made, and nothing is thrown, with a secret that is too short or not base64", () => {
    const sign = signerOf(profiles.standard);
    for (const secret of ["", "short", "whsec_", "whsec_!!!", "whsec_c2hvcnQ="])
      expect([secret, sign(message, secret)]).toEqual([secret, undefined]);
  });

  /** An Ed25519 pair as `whsk_…` and `whpk_…`. */
  function newPair(): { readonly secret: string; readonly open: string } {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const last32 = (der: Buffer): string => der.subarray(-32).toString("base64");
    return {
      secret: `whsk_${last32(privateKey.export({ format: "der", type: "pkcs8" }))}`,
      open: `whpk_${last32(publicKey.export({ format: "der", type: "spki" }))}`,
    };
  }

  it("verifies with each of the provider's keys, and with the subscription's secret, while keys overlap", () => {
    const [old, next, other] = [newPair(), newPair(), newPair()];
    const sign = signerOf(profiles.standard, { providerKeys: [old.secret, next.secret] });
    const attempt = { headers: sign(message, bytes) ?? {}, body: message.body };
    const verify = (secret: string | { raw: string }) =>
      standardWebhooks().verify(attempt, [secret], { now }).ok;
    const secrets = [old.open, next.open, { raw: bytes }, other.open];
    expect(secrets.map(verify)).toEqual([true, true, true, false]);
  });

  it("refuses provider keys at the start that are shared, public, garbled, too many or of no use to the scheme", () => {
    const four = [1, 2, 3, 4].map(() => newPair().secret);
    for (const [profile, providerKeys] of [
      [profiles.standard, [bytes]],
      [profiles.standard, [newPair().open]],
      [profiles.standard, ["whsk_abc"]],
      [profiles.standard, four],
      [profiles["x-signature"], [newPair().secret]],
    ] as const)
      expect(() => signerOf(profile, { providerKeys })).toThrow(TypeError);
  });
});
