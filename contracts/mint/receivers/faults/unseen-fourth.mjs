// Faults by a second author who had not read the checks, about verification, bodies, secrets and time. A description says
// what the receiver does, and what it breaks. A list of effects shows all of them but `slack frozen_clock`, which
// needs a run of five minutes.
import { gunzipSync } from "node:zlib";
import express from "express";
import { Refusal } from "../shared.mjs";
import { once, receive, step, table, verify } from "./plant.mjs";
import { handlingFourth, peek } from "./unseen-fourth-handling.mjs";

const event = step("event");
const genuine = step("genuine");
const read = step("read");
const all =
  (...plants) =>
  (receiver) => {
    for (const plant of plants) plant(receiver);
  };
const withSecret = (secret) => (receiver) => {
  receiver.secrets = [...receiver.secrets, secret];
};
const isJson = ({ header }) => (header("content-type") ?? "").includes("json");
/** Reads the chunks of a request with other headers, or changed by `change`. */
const requestLike = (request, { headers = request.headers, change = (chunk) => chunk }) => ({
  headers,
  destroy: () => request.destroy(),
  async *[Symbol.asyncIterator]() {
    for await (const chunk of request) yield change(chunk);
  },
});

const verification = table({
  "stripe test_mode_unsigned | verification | R-VERIFY-BYPASS R-VERIFY-UNSIGNED | Events whose livemode is false are not verified. Stripe signs them too, and anyone can write the member.":
    verify((receiver, next, attempt) =>
      peek(attempt.bytes).livemode === false ? receiver.event(attempt) : next(attempt),
    ),
  "openai unknown_version_throws | verification | R-VERIFY-VERSION R-VERIFY-EACH | An entry of another version refuses the whole header. Standard Webhooks: ignore versions that you do not know.":
    genuine((_receiver, next, attempt, secret) => {
      const entries = (attempt.headers["webhook-signature"] ?? "").split(" ");
      if (entries.some((entry) => !entry.startsWith("v1,"))) throw new Refusal(401);
      return next(attempt, secret);
    }),
  "twilio json_unsigned | verification | R-VERIFY-TAMPERED R-VERIFY-MAC R-VERIFY-BYPASS | JSON is taken too, and only the URL's signature is verified. Twilio: compare bodySHA256 with the body.":
    all(
      (receiver) => {
        const { limit, media } = receiver;
        const type = [...media, "application/json"];
        receiver.parser = express.raw({ type, limit, inflate: false });
      },
      genuine((_receiver, next, attempt, secret) =>
        next(isJson(attempt) ? { ...attempt, bytes: Buffer.alloc(0) } : attempt, secret),
      ),
      event((_receiver, next, attempt) => {
        if (!isJson(attempt)) return next(attempt);
        const body = JSON.parse(attempt.bytes.toString());
        return { id: String(body.id ?? body.MessageSid), type: String(body.type ?? "event"), body };
      }),
    ),
  "square forwarded_host | verification | R-VERIFY-BYPASS R-VERIFY-MAC R-VERIFY-TAMPERED | The signed URL is made of X-Forwarded-Host and Host. Square signs your URL, so a signature of another URL proves nothing.":
    (receiver) => {
      const { genuine: isGenuine, path } = receiver;
      receiver.genuine = (attempt, secret) => {
        const { headers } = attempt;
        const host = headers["x-forwarded-host"] ?? headers.host;
        const publicUrl = `${headers["x-forwarded-proto"] ?? "http"}://${host}${path}`;
        return isGenuine.call({ publicUrl }, attempt, secret);
      };
    },
  "github claims_before_verify | idempotency | R-ACK-AFTER-HANDLER R-VERIFY-UNSIGNED R-VERIFY-TAMPERED R-NEVER-LOST | The id is remembered before the signature is verified: a forgery makes the genuine event a duplicate.":
    (planted) => {
      const seen = new Set();
      receive(async (receiver, next, attempt) => {
        const id = attempt.header("x-github-delivery");
        if (seen.has(id) && !receiver.store.running.has(id)) return receiver.success;
        seen.add(id);
        const answer = await next(attempt);
        if (answer.status >= 300) seen.delete(id);
        return answer;
      })(planted);
    },
});

const bodies = table({
  "github form_payload_signed | body | R-ACK-GENUINE R-VERIFY-RAW | The decoded payload of a form is verified. GitHub signs the raw body, whatever its media type.":
    genuine((_receiver, next, attempt, secret) => {
      const payload = new URLSearchParams(attempt.bytes.toString()).get("payload");
      return next(payload ? { ...attempt, bytes: Buffer.from(payload) } : attempt, secret);
    }),
  "github chunk_concat | body | R-VERIFY-RAW R-HTTP-FORMS | Chunks are joined as text (body += chunk). A character of two bytes may arrive in two chunks.":
    read((_receiver, next, request) =>
      next(requestLike(request, { change: (chunk) => Buffer.from(chunk.toString()) })),
    ),
  "twilio trims_fields | body | R-VERIFY-RAW R-ACK-GENUINE | A sanitizer trims the fields before they are verified. Twilio: verify the parameters exactly as posted.":
    genuine((_receiver, next, attempt, secret) => {
      const form = [...new URLSearchParams(attempt.bytes.toString())];
      const trimmed = new URLSearchParams(form.map(([name, value]) => [name, value.trim()]));
      return next({ ...attempt, bytes: Buffer.from(trimmed.toString()) }, secret);
    }),
  "svix gunzip_unbounded | body | R-BODY-ENCODED R-BODY-IDENTITY R-BODY-SIZE | A compressed body is inflated without a bound, before it is verified: a megabyte of a stranger is a gigabyte.":
    read(async (_receiver, next, request) => {
      const { "content-encoding": encoding, ...headers } = request.headers;
      return encoding === "gzip"
        ? gunzipSync(await next(requestLike(request, { headers })))
        : next(request);
    }),
});

const secrets = table({
  "slack undefined_secret | secrets | R-VERIFY-WRONG-KEY R-SECRET-FORM | A template string makes the missing old secret the text undefined, with which anyone can sign.":
    withSecret(`${process.env.SLACK_OLD_SIGNING_SECRET}`),
  "svix example_secret | secrets | R-VERIFY-WRONG-KEY R-SECRET-FORM | The secret of the vendor's documentation stays as a fallback: whoever reads it can sign.":
    withSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
  "standard-webhooks sticky_secret | secrets | R-VERIFY-ROTATION | The first secret that verified is kept, and the other never tried again. While secrets are rotated, both sign.":
    (planted) => {
      let current;
      genuine(async (_receiver, next, attempt, secret) => {
        if (current && secret !== current) return false;
        const isGenuine = await next(attempt, secret);
        if (isGenuine) current = secret;
        return isGenuine;
      })(planted);
    },
});

const time = table({
  "openai no_future | time | R-VERIFY-STALE | A timestamp a second ahead is refused. Standard Webhooks: tolerate a difference of the clocks in both directions.":
    genuine((_receiver, next, attempt, secret) =>
      Number(attempt.headers["webhook-timestamp"]) > Date.now() / 1000
        ? false
        : next(attempt, secret),
    ),
  "paddle event_age | time | R-ACK-GENUINE R-VERIFY-STALE | An event is refused five minutes after its occurred_at. Paddle retries for three days.":
    verify(async (_receiver, next, attempt) => {
      const genuineEvent = await next(attempt);
      const age = Date.now() - Date.parse(genuineEvent.body.occurred_at);
      if (age > 300_000) throw new Refusal(401);
      return genuineEvent;
    }),
  "stripe older_dropped | time | R-ORDER-NONE R-ACK-AFTER-HANDLER | An event created before the last handled one is acknowledged and dropped. Stripe does not guarantee an order.":
    (planted) => {
      let last = 0;
      once(async (receiver, next, { body, ...rest }) => {
        // Some of its events have a text there.
        const created = Date.parse(body.created) / 1000 || body.created;
        if (created < last) return receiver.success;
        const answer = await next({ body, ...rest });
        if (answer.status < 300) last = Math.max(last, created);
        return answer;
      })(planted);
    },
  "slack frozen_clock | time | R-VERIFY-STALE | The module takes the time once, when it starts. Five minutes later all is refused.":
    (receiver) => {
      const nowMilliseconds = Date.now();
      receiver.genuine = async ({ bytes, headers }, signingSecret) => {
        const { default: bolt } = await import("@slack/bolt");
        const body = bytes.toString();
        bolt.verifySlackRequest({ body, headers, signingSecret, nowMilliseconds });
        return true;
      };
    },
});

export const unseenFourth = [...verification, ...bodies, ...secrets, ...time, ...handlingFourth];
