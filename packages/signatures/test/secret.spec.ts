import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { schemeOf, type Secret, standardWebhooks } from "../src/index.ts";
import {
  now,
  OTHER_SECRET,
  PRIVATE_KEY,
  PUBLIC_KEY,
  SECRET,
  signed,
  thrownBy,
} from "./attempts.ts";
import { documentOf } from "./provider-files.ts";
import { provider } from "./samples.ts";

const paddle = schemeOf(
  provider(
    {},
    {
      title: "Paddle",
      secret: { where: "Developer tools > Notifications", prefix: "pdl_ntfset_" },
    },
  ),
);
const text = schemeOf(provider({}));
const KEY = "0123456789abcdefghijklmn";

const messageOf = (secret: unknown, scheme = text): string =>
  String(thrownBy(() => scheme.check([secret as Secret], "verify")));

describe("a secret", () => {
  it("of another form is rejected with the provider's name and where its dashboard shows it", () => {
    expect(messageOf("whsec_0123456789", paddle)).toBe(
      "TypeError: Paddle secrets begin with pdl_ntfset_, and secrets[0] does not. Paddle shows it at: Developer tools > Notifications",
    );
    expect(messageOf("pdl_ntfset_0123456789", paddle)).toBe("undefined");
  });

  it.each([
    "$WEBHOOK_SECRET_NOT_EXPANDED",
    "${WEBHOOK_SECRET}_and_more_of_it",
    "{{SECRET}}{{SECRET}}{{SECRET}}",
    "process.env.WEBHOOK_SECRET",
  ])("that is the placeholder %s is rejected", (secret) => {
    for (const scheme of [text, standardWebhooks()])
      expect(messageOf(secret, scheme)).toContain("is a placeholder, not a secret");
  });

  it.each([["a".repeat(24)], ["0".repeat(32)], [{ raw: new Uint8Array(24) }]])(
    "of one repeated byte is rejected: %j",
    (secret) => {
      expect(messageOf(secret)).toContain("one byte again and again");
      expect(
        messageOf(`whsec_${Buffer.alloc(24).toString("base64")}`, standardWebhooks()),
      ).toContain("one byte again and again");
    },
  );

  it("below 16 bytes is accepted with a warning, and below the provider's least is rejected", () => {
    expect(text.check(["12345678"], "verify")[0]?.warning).toContain("has only 8 bytes");
    expect(text.check([KEY], "verify")[0]?.warning).toBeUndefined();
    expect(messageOf("1234567")).toContain("at least 8 bytes");
    expect(messageOf(KEY.slice(1), standardWebhooks())).toContain("at least 24 bytes");
    expect(messageOf(KEY.slice(1), standardWebhooks({ minSecretBytes: 8 }))).toBe("undefined");
  });

  it.each<[string, unknown]>([
    ["contains a space (character 1)", ` ${KEY}`],
    ["contains a line break (character 25)", `${KEY}\n\n`],
    ["contains a byte order mark (character 1)", `\uFEFF${KEY}`],
    ["is in quotes", `"${KEY}"`],
    ["is in quotes", `'${KEY}'`],
    ["is missing", undefined],
    ["expected text, or { raw }", 12],
    ["is empty", ""],
    ["is too long", "ab".repeat(600)],
  ])("is rejected: it %s", (problem, secret) => {
    expect(messageOf(secret)).toContain(problem);
  });

  it("of GitHub may contain spaces, and may end with one newline", () => {
    const github = schemeOf(documentOf("github"));
    const [one] = github.check(["It's a Secret to Everybody"], "verify");
    const [other] = github.check(["It's a Secret to Everybody\n"], "verify");
    expect(one).toEqual(other);
  });

  it("of Standard Webhooks is for one version and one side", () => {
    const scheme = standardWebhooks();
    const [verifying] = scheme.check([PUBLIC_KEY], "verify");
    const [signing] = scheme.check([PRIVATE_KEY], "sign");
    expect(verifying).toEqual(signing);
    expect(messageOf(PRIVATE_KEY, scheme)).toContain("is a private key (whsk_)");
    expect(() => scheme.check([SECRET, PUBLIC_KEY], "sign")).toThrow(
      "secrets[1] is a public key (whpk_)",
    );
    expect(messageOf(PUBLIC_KEY, schemeOf(documentOf("svix")))).toContain("does not use");
    expect(scheme.check([SECRET.slice(6)], "verify")[0]?.warning).toContain("looks like base64");
  });

  it("A8: without a known prefix is its text, and never the bytes that it encodes as well", () => {
    const scheme = standardWebhooks();
    const bare = SECRET.slice("whsec_".length);
    const acceptsOf = (signing: Secret) => {
      const { headers, body } = signed(scheme, [signing]);
      return scheme.verify({ headers, body }, [bare], { now }).ok;
    };
    expect([bare, { raw: bare }, `raw:${bare}`].map(acceptsOf)).toEqual([true, true, true]);
    expect([SECRET, { raw: Buffer.from(bare, "base64") }].map(acceptsOf)).toEqual([false, false]);
  });

  it("is one of at most four in a list", () => {
    expect(() => text.check([], "verify")).toThrow('"secrets" is empty');
    expect(() => text.check(Array<string>(5).fill(KEY), "verify")).toThrow("at most 4 secrets");
    expect(() => text.check([KEY, OTHER_SECRET], "sign")).not.toThrow();
    const message = { body: Buffer.from("{}") };
    expect(() => text.sign(message, [KEY, OTHER_SECRET])).toThrow("expected one secret");
  });

  it("is in no error, whatever is wrong with it", () => {
    const canary = "CANARY0123456789";
    const jwk = `{"kty":"EC","x":"${canary}"`;
    const ecdsa = schemeOf(provider({ algorithm: "ecdsa-p256-sha256", key: "spki" }));
    const secrets = [
      `"${canary}"`,
      `${canary}\n\n`,
      `$${canary}`,
      `whsec_${canary}!`,
      `whpk_${canary}`,
    ];
    for (const secret of [...secrets, jwk, `${jwk}}`])
      for (const scheme of [text, paddle, standardWebhooks(), ecdsa]) {
        const error = thrownBy(() => scheme.check([secret], "verify"));
        expect(inspect(error, { depth: 9 })).not.toContain(canary);
      }
  });
});
