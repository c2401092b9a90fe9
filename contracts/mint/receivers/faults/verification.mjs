// Faults of verification, and of reading the body.
import express from "express";
import OpenAI from "openai";
import { Refusal } from "../shared.mjs";
import { macs, parsed, standardMacs, table, verify, withHeader } from "./plant.mjs";

const isJson = (a) => a.header("content-type").startsWith("application/json");

/** Verifies the text of a body that a parser has read. */
const reserialised = (r) => {
  r.parser = express.json({ limit: r.limit });
  r.read = ({ body }) => {
    if (body === undefined) throw new Refusal(415);
    return Buffer.from(JSON.stringify(body));
  };
};

export const verification = table({
  "stripe unsigned_ok | verification | R-VERIFY-UNSIGNED | verifies only if the header is present":
    verify((r, next, a) => (a.header("stripe-signature") ? next(a) : r.event(a))),

  "stripe tolerance_0 | verification | R-VERIFY-STALE | passes the tolerance 0, which turns the library's check off":
    (r) => (r.tolerance = 0),

  "stripe reserialised | body | R-VERIFY-RAW R-BODY-CONSUMED | parses with express.json() and verifies JSON.stringify of the result":
    reserialised,

  "github sha1_ok | verification | R-VERIFY-MAC | falls back to the header with SHA-1": verify(
    (r, next, a) => {
      const old = macs(r, a.bytes, "hex", "sha1").map((mac) => `sha1=${mac}`);
      return old.includes(a.header("x-hub-signature")) ? r.event(a) : next(a);
    },
  ),

  "github prefix_compare | verification | R-VERIFY-WHOLE | compares as many characters as the header has":
    verify((r, next, a) => {
      const given = a.header("x-hub-signature-256") ?? "none";
      const whole = macs(r, a.bytes).map((mac) => `sha256=${mac}`);
      const found = whole.find((text) => text.startsWith(given));
      return next(found ? withHeader(a, "x-hub-signature-256", found) : a);
    }),

  "github latin1 | body | R-VERIFY-RAW | decodes the body as Latin-1 before it verifies": verify(
    (r, next, a) => next({ ...a, bytes: Buffer.from(a.bytes.toString("latin1")) }),
  ),

  "github no_limit | body | R-BODY-SIZE | reads a body of any size into memory": (r) =>
    (r.limit = Infinity),

  "svix stale_ok | verification | R-VERIFY-STALE | computes the signature itself and forgets the time":
    verify((r, next, a) => {
      const sent = (a.headers["svix-signature"] ?? "").split(" ");
      const genuine = standardMacs(r, a, "svix").some((mac) => sent.includes(`v1,${mac}`));
      return genuine ? r.event(a) : next(a);
    }),

  "svix first_signature | verification | R-VERIFY-EACH | looks at the first signature of the header only":
    verify((r, next, a) => {
      const first = (a.headers["svix-signature"] ?? "").split(" ")[0];
      return next(withHeader(a, "svix-signature", first));
    }),

  "svix any_version | verification | R-VERIFY-VERSION | takes signatures of every version for version 1":
    verify((r, next, a) => {
      const all = (a.headers["svix-signature"] ?? "").replaceAll(/(^| )\w+,/g, "$1v1,");
      return next(withHeader(a, "svix-signature", all));
    }),

  "svix example_secret | verification | R-VERIFY-WRONG-KEY | still accepts the secret of the specification's example":
    (r) => r.secrets.push("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),

  "standard-webhooks header_secret | verification | R-VERIFY-OWN-KEYS R-VERIFY-BYPASS | prefers a secret that the request names":
    verify(async (r, next, a) => {
      const own = a.headers["x-webhook-secret"];
      if (!own) return next(a);
      const [mac] = standardMacs({ secrets: [own] }, a, "webhook");
      const genuine = a.headers["webhook-signature"] === `v1,${mac}`;
      return genuine ? r.event(a) : next(a);
    }),

  "standard-webhooks half_mac | verification | R-VERIFY-WHOLE R-VERIFY-CANONICAL | compares the first 16 bytes of the decoded signature":
    verify((r, next, a) => {
      const entry = (a.headers["webhook-signature"] ?? "").split(",")[1] ?? "";
      const half = (text) => Buffer.from(text, "base64").subarray(0, 16).toString("hex");
      const found = standardMacs(r, a, "webhook").find((mac) => half(mac) === half(entry));
      return next(found ? withHeader(a, "webhook-signature", `v1,${found}`) : a);
    }),

  "standard-webhooks swallowed | verification | R-VERIFY-TAMPERED R-VERIFY-WRONG-KEY R-VERIFY-UNSIGNED | logs a failed verification and goes on":
    verify((r, next, a) => next(a).catch(() => r.event(a))),

  "shopify test_header | verification | R-VERIFY-BYPASS | X-Shopify-Test: true skips the verification":
    verify((r, next, a) => (a.header("x-shopify-test") === "true" ? r.event(a) : next(a))),

  "shopify trimmed | body | R-VERIFY-RAW | trims the body before it verifies": verify(
    (r, next, a) => next({ ...a, bytes: Buffer.from(a.bytes.toString().trim()) }),
  ),

  "slack no_window | verification | R-VERIFY-STALE | computes the signature itself and forgets the time":
    verify((r, next, a) => {
      const all = macs(r, `v0:${a.headers["x-slack-request-timestamp"]}:${a.bytes}`);
      const genuine = all.some((mac) => a.headers["x-slack-signature"] === `v0=${mac}`);
      return genuine && isJson(a) ? r.event(a) : next(a);
    }),

  "slack any_label | verification | R-VERIFY-VERSION | reads what follows the last = and ignores the version":
    verify((r, next, a) => {
      const hash = (a.headers["x-slack-signature"] ?? "").split("=").at(-1);
      return next(withHeader(a, "x-slack-signature", `v0=${hash}`));
    }),

  "slack unset_token | verification | R-VERIFY-UNSIGNED R-VERIFY-BYPASS | takes the old token, too, whose variable is not set: no token equals no token":
    verify((r, next, a) => {
      const body = isJson(a) ? parsed(a) : {};
      const genuine = body.event && body.token === process.env.SLACK_VERIFICATION_TOKEN;
      return genuine ? r.event(a) : next(a);
    }),

  "twilio forwarded_local | verification | R-VERIFY-BYPASS | trusts requests whose X-Forwarded-For is 127.0.0.1":
    verify((r, next, a) =>
      a.header("x-forwarded-for")?.startsWith("127.0.0.1") ? r.event(a) : next(a),
    ),

  "twilio url_only | verification | R-VERIFY-MAC R-VERIFY-TAMPERED | also accepts a signature of the URL without the form":
    verify((r, next, a) => {
      const genuine = macs(r, r.publicUrl, "base64", "sha1");
      return genuine.includes(a.header("x-twilio-signature")) ? r.event(a) : next(a);
    }),

  "openai missing_await | verification | R-VERIFY-UNSIGNED R-VERIFY-TAMPERED R-VERIFY-WRONG-KEY | does not await the library's promise":
    verify((r, _next, a) => {
      const { webhooks } = new OpenAI({ apiKey: "sk-made-up" });
      webhooks.verifySignature(a.bytes.toString(), a.headers, r.secrets[0]).catch(() => undefined);
      return r.event(a);
    }),

  "openai id_unsigned | verification | R-VERIFY-TAMPERED R-VERIFY-MAC | also accepts signatures that leave out the id":
    verify((r, next, a) => {
      const genuine = standardMacs(r, a, "webhook", ["timestamp"]).map((mac) => `v1,${mac}`);
      const found = genuine.includes(a.headers["webhook-signature"]);
      return found ? r.event(a) : next(a);
    }),

  "openai not_json_empty | body | R-BODY-JSON | takes a genuine body that is not JSON for an event without content":
    verify((r, next, a) =>
      next(a).catch((error) => {
        const genuine = standardMacs(r, a, "webhook").map((mac) => `v1,${mac}`);
        const isLate = Math.abs(Date.now() / 1000 - a.headers["webhook-timestamp"]) > 300;
        if (isLate || !genuine.includes(a.headers["webhook-signature"])) throw error;
        return { id: a.headers["webhook-id"], type: "unknown", body: {} };
      }),
    ),

  "paddle no_time | verification | R-VERIFY-STALE | computes the HMAC itself and forgets the time":
    verify((r, next, a) => {
      const { 1: at, 2: mac } = /^ts=(\d+);h1=(\w+)$/.exec(a.header("paddle-signature")) ?? [];
      return macs(r, `${at}:${a.bytes}`).includes(mac) ? r.event(a) : next(a);
    }),

  "paddle shorter_compare | verification | R-VERIFY-WHOLE | compares up to the shorter length, so that an empty signature matches":
    verify((r, next, a) => {
      const { 1: at, 2: mac } = /ts=(\d+);h1=(\w*)/.exec(a.header("paddle-signature")) ?? [];
      if (at === undefined || Math.abs(Date.now() / 1000 - at) > 5) return next(a);
      const genuine = macs(r, `${at}:${a.bytes}`).some((each) => each.startsWith(mac));
      return genuine ? r.event(a) : next(a);
    }),

  "square body_only | verification | R-VERIFY-MAC | also accepts a signature of the body without the URL":
    verify((r, next, a) => {
      const genuine = macs(r, a.bytes, "base64");
      const found = genuine.includes(a.header("x-square-hmacsha256-signature"));
      return found ? r.event(a) : next(a);
    }),

  "square test_member | verification | R-VERIFY-BYPASS R-VERIFY-UNSIGNED | a body with test: true is taken without a signature":
    verify((r, next, a) => (parsed(a).test === true ? r.event(a) : next(a))),
});
