// Faults that follow reports of real receivers' bugs: verifying, reading and answering. Their author had read neither the
// checks nor the other faults.
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "../shared.mjs";
import { hmac, parsed, receive, respond, step, table, verify } from "./plant.mjs";
import { handlingSixth } from "./unseen-sixth-handling.mjs";

const genuine = step("genuine");
const read = step("read");

/** Verifies an attempt as if its body were `change(bytes)`. */
const asIfBody = (change) =>
  genuine((_receiver, next, attempt, secret) =>
    next({ ...attempt, bytes: Buffer.from(change(attempt.bytes)) }, secret),
  );

/** Verifies an attempt for another URL than the configured one. */
const asIfUrl = (urlOf) =>
  genuine((receiver, next, attempt, secret) => {
    const { publicUrl } = receiver;
    receiver.publicUrl = urlOf(attempt, publicUrl);
    try {
      return next(attempt, secret);
    } finally {
      receiver.publicUrl = publicUrl;
    }
  });

const verifying = {
  "stripe livemode_secret | secret | R-VERIFY-ROTATION R-ACK-GENUINE | Takes the secrets as those of test and live mode, and picks one by the member livemode: after a rotation every event is refused.":
    genuine((receiver, next, attempt, secret) => {
      const [test, live] = receiver.secrets;
      return secret === (parsed(attempt).livemode ? live : test) && next(attempt, secret);
    }),
  "github ascii_text | encoding | R-VERIFY-RAW R-ACK-GENUINE | Verifies the body as ASCII text, in which other characters become question marks: a push with an emoji in a commit message is never built.":
    asIfBody((bytes) => bytes.toString().replaceAll(/\P{ASCII}/gu, "?")),
  "github nonhex_500 | answer | R-REFUSE-STATUS | Compares the signature's length as text and then its bytes from hex: a signature with another character throws, so that strangers fill the alarms with errors 500.":
    verify((_receiver, next, attempt) => {
      const given = (attempt.header("x-hub-signature-256") ?? "").slice("sha256=".length);
      if (given.length === 64 && Buffer.from(given, "hex").length < 32) throw new Refusal(500);
      return next(attempt);
    }),
  "github empty_secret | secret | R-VERIFY-WRONG-KEY | Also tries the previous secret, whose variable is unset and read as an empty text: anyone can sign with an empty key.":
    (planted) => {
      planted.secrets = [...planted.secrets, ""];
      genuine((_receiver, next, attempt, secret) =>
        secret === ""
          ? attempt.header("x-hub-signature-256") === `sha256=${hmac(secret, attempt.bytes)}`
          : next(attempt, secret),
      )(planted);
    },
  "shopify json_fallback | encoding | R-VERIFY-CANONICAL R-VERIFY-TAMPERED | Verifies the bytes, and if they do not match the body parsed and printed again: a body with other bytes is accepted.":
    genuine(
      async (_receiver, next, attempt, secret) =>
        (await next(attempt, secret)) ||
        next({ ...attempt, bytes: Buffer.from(JSON.stringify(parsed(attempt))) }, secret),
    ),
  "shopify firewall | route | R-ACK-GENUINE | A firewall answers 403 to a body that looks like an attack: an order with a script tag or a query in its note is never shipped.":
    verify((_receiver, next, attempt) => {
      const isSuspect = /<script|javascript:|union\s+select|\.\.\/\.\./i.test(
        attempt.bytes.toString(),
      );
      if (isSuspect) throw new Refusal(403);
      return next(attempt);
    }),
  "twilio trimmed_fields | encoding | R-VERIFY-RAW R-ACK-GENUINE | A middleware trims the fields before they are verified: messages that begin or end with a space or a line break are refused.":
    asIfBody((bytes) => {
      const fields = [...new URLSearchParams(bytes.toString())];
      return String(new URLSearchParams(fields.map(([name, value]) => [name, value.trim()])));
    }),
  "twilio forwarded_host | trusted header | R-VERIFY-MAC R-VERIFY-TAMPERED | Builds the signed URL with X-Forwarded-Host, whoever sends it: a request that was signed for another site of the account is accepted here.":
    asIfUrl(({ headers }, url) => {
      const host = headers["x-forwarded-host"];
      return host ? url.replace(new URL(url).host, host) : url;
    }),
  "svix split_once | signature list | R-VERIFY-EACH R-VERIFY-ROTATION | Takes all that follows the first comma as the signature: while a secret is being rotated, the header has two, and every event is refused.":
    genuine(
      (_receiver, next, attempt, secret) =>
        attempt.header("svix-signature").split(",").length === 2 && next(attempt, secret),
    ),
  "standard-webhooks no_skew | time | R-VERIFY-STALE R-ACK-GENUINE | Refuses a timestamp of the next second as one from the future: with a clock that is a little slow, events are lost.":
    verify((_receiver, next, attempt) => {
      const sent = Number(attempt.header("webhook-timestamp"));
      if (sent > Math.floor(Date.now() / 1000)) throw new Refusal(401);
      return next(attempt);
    }),
  "standard-webhooks local_host | trusted header | R-VERIFY-BYPASS | Does not verify on a developer's machine, which it recognizes by the header Host: anyone can send localhost there.":
    verify((receiver, next, attempt) =>
      /^localhost(:\d+)?$/.test(attempt.headers.host ?? "")
        ? receiver.event(attempt)
        : next(attempt),
    ),
  "square url_from_host | url | R-HTTP-FORMS | Builds the signed URL from the header Host instead of the configuration: behind a proxy that speaks HTTP/1.0 without it, payments are refused.":
    asIfUrl(({ headers }, url) => `http://${headers.host}${new URL(url).pathname}`),
  "paddle skip_before_verify | route | R-VERIFY-UNSIGNED R-VERIFY-TAMPERED | Acknowledges types that it does not handle before it verifies: strangers get 200, and a wrong secret stays unnoticed until the first sale.":
    receive(async (receiver, next, attempt) => {
      try {
        return await next(attempt);
      } catch (error) {
        if (Object.hasOwn(receiver.handlers, parsed(attempt).event_type)) throw error;
        return receiver.success;
      }
    }),
  "openai base64_body | encoding | R-BODY-CHARSET R-ACK-GENUINE | The gateway passes bodies on in base64 if their media type has a parameter, and the function does not decode them: all results are refused.":
    genuine((_receiver, next, attempt, secret) => {
      const isText = !attempt.header("content-type").includes(";");
      const bytes = isText ? attempt.bytes : Buffer.from(attempt.bytes.toString("base64"));
      return next({ ...attempt, bytes }, secret);
    }),
  "openai string_chunks | encoding | R-VERIFY-RAW R-HTTP-FORMS | Adds the chunks of a body up as texts: if a chunk ends within a character, the event is refused, which happens to one in thousands.":
    read((_receiver, next, request) =>
      next({
        headers: request.headers,
        destroy: () => request.destroy(),
        async *[Symbol.asyncIterator]() {
          for await (const chunk of request) yield Buffer.from(chunk.toString());
        },
      }),
    ),
  "slack wrong_length | answer | R-HTTP-KEEP-ALIVE | Gives its answer's length in characters, not bytes: the rest of a check mark stays on the connection, and the next event on it fails.":
    (receiver) => {
      const body = "✓";
      const headers = { "Content-Length": String(body.length) };
      receiver.success = { status: 200, type: "text/plain; charset=utf-8", headers, body };
    },
  "slack cold_start | time | R-ACK-IN-TIME | Runs as a function whose instances start in 3.5 s: each time that more events arrive together than before, one is late and is sent again.":
    (planted) => {
      let instances = 0;
      let running = 0;
      respond(async (_receiver, next, request, response) => {
        running += 1;
        if (running > instances) {
          instances += 1;
          await sleep(3500);
        }
        await next(request, response).finally(() => (running -= 1));
      })(planted);
    },
};

export const unseenSixth = [...table(verifying), ...handlingSixth];
