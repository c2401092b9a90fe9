import { generateKeyPairSync, sign as signBytes } from "node:crypto";
import type { Message, Secret } from "@countersign/signatures";
import type { ReceiverCheck } from "../../check.ts";
import type { Attempt, BenchEvent } from "../../harness/bench.ts";
import { withHeader, withSignature } from "../../harness/request.ts";
import { mustRefuse, type Forgery, receiverCheck } from "../../harness/play.ts";
import { textsOf } from "../../harness/reply.ts";
import type { Signing } from "../../harness/signing.ts";

const WRONG_KEY = "R-VERIFY-WRONG-KEY";
const OWN_KEYS = "R-VERIFY-OWN-KEYS";

/** Whole signatures, by keys that are not the receiver's, or that a stranger can know. */
export const wrongKey: ReceiverCheck = receiverCheck({
  id: "receiver/wrong-key",
  title: "a signature by another key, by none, or by one that came along is refused",
  requirements: [WRONG_KEY, OWN_KEYS],
  play: async (bench) => {
    const { signing } = bench;
    const { names } = signing;
    const byStranger = (name: string): Attempt =>
      bench.attempt(bench.event(), { secrets: [signing.stranger(name)] });

    /** Signed by hand with key bytes that no scheme lets one have. */
    const by = (keyOf: (event: BenchEvent) => Uint8Array | string): Attempt =>
      withMac((message, event) => signing.macBy(keyOf(event), message));
    const withMac = (macOf: (message: Message, event: BenchEvent) => string): Attempt => {
      const event = bench.event();
      const timestamp = bench.seconds();
      const attempt = bench.attempt(event, { timestamp });
      const forged = macOf({ id: event.id, timestamp, body: event.body }, event);
      const headers = withHeader(attempt.headers, names.signature, (value) =>
        withSignature(value.replace(/^v1a,/, "v1,"), () => forged),
      );
      return { ...attempt, headers };
    };

    await mustRefuse(bench, WRONG_KEY, [
      { what: "an attempt that another secret signed", attempt: byStranger("one") },
      {
        what: "an attempt that two other secrets signed",
        attempt: bench.attempt(bench.event(), {
          secrets:
            signing.separator === undefined
              ? [signing.stranger("two")]
              : [signing.stranger("two"), signing.stranger("three")],
        }),
      },
      {
        what: "an attempt with a digest that no key went into",
        attempt: withMac((message) => signing.digestOf(message)),
      },
      ...misread(bench.target.secrets, signing).map((key) => ({
        what: "an attempt that the secret's text signed, in the place of its bytes",
        attempt: by(() => key),
      })),
      { what: "an attempt that the empty key signed", attempt: by(() => "") },
      { what: "an attempt that a key of 32 zeros signed", attempt: by(() => new Uint8Array(32)) },
      ...["undefined", "null", "secret", "[object Object]"].map((key) => ({
        what: `an attempt that the key ${JSON.stringify(key)} signed`,
        attempt: by(() => key),
      })),
    ]);

    await mustRefuse(bench, OWN_KEYS, [...keysAlong(), ...knownKeys()]);

    /** Keys that everybody knows who sees the attempt. */
    function knownKeys(): readonly Forgery[] {
      return [
        { what: "an attempt with its id as the key", attempt: by(({ id }) => id) },
        { what: "an attempt with its time as the key", attempt: by(() => String(bench.seconds())) },
        ...publicKeys(bench.target.secrets).map(({ what, key }) => ({
          what: `an attempt that ${what} signed, as if it were a shared secret`,
          attempt: by(() => key),
        })),
        { what: "an attempt with its body as the key", attempt: by(({ body }) => body) },
      ];
    }

    /** The key stands in the attempt, under names that libraries of other schemes read it from. */
    function keysAlong(): readonly Forgery[] {
      const key = "a key that came along with the attempt";
      const along = (name: string): Forgery => {
        const attempt = by(() => key);
        return {
          what: `an attempt with its own key in ${name}`,
          attempt: { ...attempt, headers: [...attempt.headers, [name, key]] },
        };
      };
      if (names.signature !== "webhook-signature") return ["X-Webhook-Secret", "X-Key"].map(along);
      const { privateKey, publicKey } = generateKeyPairSync("ed25519");
      const event = bench.event();
      const attempt = bench.attempt(event);
      const signed = `${event.id}.${String(bench.seconds())}.${event.body.toString()}`;
      const signature = signBytes(null, Buffer.from(signed), privateKey).toString("base64");
      const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
      const headers = [
        ...withHeader(attempt.headers, names.signature, () => `v1a,${signature}`),
        ["Webhook-Public-Key", `whpk_${raw.toString("base64")}`] as const,
      ];
      return [
        ...["Webhook-Secret", "Webhook-Key"].map(along),
        { what: "an attempt with its own public key", attempt: { ...attempt, headers } },
      ];
    }
  },
});

/** A secret's text as a key: where its bytes are another thing, no scheme takes both. */
function misread(secrets: readonly Secret[], signing: Signing): readonly string[] {
  const [secret] = secrets;
  const key = secret === undefined ? undefined : signing.keyOf(secret);
  if (secret === undefined || key === undefined) return [];
  return textsOf(secret).filter((text) => !Buffer.from(text).equals(key));
}

/** A public key is public: a receiver that takes it for a shared secret takes anybody's attempts. */
function publicKeys(
  secrets: readonly Secret[],
): readonly { what: string; key: Uint8Array | string }[] {
  const [secret] = secrets;
  if (typeof secret !== "string" || !secret.startsWith("whsk_")) return [];
  const bytes = Buffer.from(secret.slice("whsk_".length), "base64");
  // Of a seed alone the public key would have to be computed; with both, it is the second half.
  if (bytes.length !== 64) return [];
  const raw = bytes.subarray(32);
  const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), raw]);
  const pem = `-----BEGIN PUBLIC KEY-----\n${spki.toString("base64")}\n-----END PUBLIC KEY-----\n`;
  return [
    { what: "the public key's bytes", key: raw },
    { what: "the public key's text", key: `whpk_${raw.toString("base64")}` },
    { what: "the public key in DER", key: spki },
    { what: "the public key in PEM", key: pem },
  ];
}
