// Faults of ideas that the makers of the checks have not seen: they are for measuring, not for tuning.
import { gunzipSync } from "node:zlib";
import { setTimeout as sleep } from "node:timers/promises";
import express from "express";
import {
  effect,
  handle,
  hmac,
  once,
  parsed,
  receive,
  respond,
  standardMacs,
  table,
  verify,
} from "./plant.mjs";

export const heldOut = table({
  "stripe account_key | verification | R-VERIFY-WRONG-KEY | finds the secret by the body's account; an unknown account has an empty one":
    verify((r, next, a) => {
      if (!parsed(a).account) return next(a);
      const pairs = new URLSearchParams(a.header("stripe-signature")?.replaceAll(",", "&"));
      const genuine = pairs.get("v1") === hmac("", `${pairs.get("t")}.${a.bytes}`);
      return genuine ? r.event(a) : next(a);
    }),
  "stripe seen_signature | verification | R-VERIFY-TAMPERED | does not verify a signature again that was genuine before":
    (r) => {
      const seen = new Set();
      verify(async (_r, next, a) => {
        if (seen.has(a.header("stripe-signature"))) return r.event(a);
        const event = await next(a);
        seen.add(a.header("stripe-signature"));
        return event;
      })(r);
    },
  "stripe test_mode | verification | R-VERIFY-BYPASS R-VERIFY-UNSIGNED | livemode: false is taken without a signature":
    verify((r, next, a) => (parsed(a).livemode === false ? r.event(a) : next(a))),
  "stripe newest_only | idempotency | R-ORDER-NONE R-ACK-GENUINE | drops what was created before the last handled event":
    once((r, next, event) => {
      if (event.body.created < (r.newest ?? 0)) return { status: 200 };
      r.newest = event.body.created;
      return next(event);
    }),

  'github undefined_key | verification | R-VERIFY-WRONG-KEY | an unknown installation has the key "undefined"':
    verify((r, next, a) => {
      const genuine = `sha256=${hmac(String(undefined), a.bytes)}`;
      return a.header("x-hub-signature-256") === genuine ? r.event(a) : next(a);
    }),
  "github plain_object | routing | R-ROUTE-PROTOTYPE | looks handlers up in an object with a prototype":
    handle(async (r, next, event) => {
      const found = Object.hasOwn(r.handlers, event.type) ? undefined : r.handlers[event.type];
      return found ? found(event) : next(event);
    }),
  "github third_attempt | acknowledgement | R-ACK-FAILED R-DEAD-VISIBLE | acknowledges an event whose handler has failed twice":
    once(async (r, next, event) => {
      r.failures ??= new Map();
      const answer = await next(event);
      if (answer.status < 500) return answer;
      r.failures.set(event.id, (r.failures.get(event.id) ?? 0) + 1);
      return r.failures.get(event.id) > 2 ? { status: 200 } : answer;
    }),
  "svix config_page | leaks | R-LEAK-NOTHING R-METHOD | GET shows the endpoint's settings with the secret":
    respond((r, next, request, response) =>
      request.method === "GET"
        ? response.writeHead(200).end(JSON.stringify({ limit: r.limit, secret: r.secrets[0] }))
        : next(request, response),
    ),
  "svix shares_outcome | idempotency | R-ACK-IN-PROGRESS R-ONCE-CONCURRENT | a concurrent duplicate waits for the first, and is acknowledged even if it fails":
    (r) => {
      const running = new Map();
      once(async (_r, next, event) => {
        if (running.has(event.id)) return running.get(event.id).then(() => ({ status: 200 }));
        const work = next(event).finally(() => running.delete(event.id));
        running.set(event.id, work);
        return work;
      })(r);
    },
  "svix claims_unverified | idempotency | R-ACK-GENUINE R-VERIFY-TAMPERED R-VERIFY-WRONG-KEY | marks the id before it verifies, so that a forgery with a known id hides the event":
    (r) => {
      const seen = new Map();
      receive(async (_r, next, a) => {
        const id = a.headers["svix-id"];
        if (seen.get(id) === "refused") return { status: 200 };
        seen.set(id, "refused");
        const answer = await next(a);
        seen.set(id, "genuine");
        return answer;
      })(r);
    },

  "svix any_future | verification | R-VERIFY-AHEAD | compares the time in one direction only":
    verify((r, next, a) => {
      const sent = (a.headers["svix-signature"] ?? "").split(" ");
      const isAhead = Number(a.headers["svix-timestamp"]) > Date.now() / 1000;
      const genuine =
        isAhead && standardMacs(r, a, "svix").some((mac) => sent.includes(`v1,${mac}`));
      return genuine ? r.event(a) : next(a);
    }),

  "standard-webhooks unzips | body | R-BODY-ENCODED R-BODY-IDENTITY | decodes gzip before it verifies":
    (r) => {
      const { read } = r;
      r.read = async (request) => {
        const isZipped = request.headers["content-encoding"] === "gzip";
        if (isZipped) request.headers["content-encoding"] = "identity";
        const bytes = await read.call(r, request);
        return isZipped ? gunzipSync(bytes) : bytes;
      };
    },
  "standard-webhooks truncates | body | R-BODY-SIZE R-BODY-DOCUMENTED | reads the first 16 KiB, and an event that is longer is acknowledged unread":
    receive((r, next, a) => (a.bytes.length > 16_384 ? { status: 200 } : next(a))),
  "standard-webhooks mixes_up | load | R-ACK-GENUINE R-ROUTE-ONE R-ONCE-DISTINCT R-ONCE-CONCURRENT | keeps the current event in a variable of the module":
    handle(async (r, next, event) => {
      r.current = event;
      await sleep(5);
      return next(r.current);
    }),

  "shopify shop_key | verification | R-VERIFY-WRONG-KEY | finds the secret by X-Shopify-Shop-Domain; an unknown shop has an empty one":
    verify((r, next, a) => {
      const genuine = hmac("", a.bytes, "base64") === a.header("x-shopify-hmac-sha256");
      return genuine ? r.event(a) : next(a);
    }),
  "shopify slows_down | load | R-ACK-IN-TIME | each handled event makes the next one 20 ms slower":
    handle(async (r, next, event) => {
      r.handledCount = (r.handledCount ?? 0) + 1;
      await sleep(20 * r.handledCount);
      return next(event);
    }),
  "slack digits_of_id | idempotency | R-ONCE-DISTINCT | the key is the number in the id": (r) =>
    (r.key = ({ id }) => Number.parseInt(id.replaceAll(/\D/g, ""), 10)),
  "slack burst | load | R-LOAD-SHED R-ACK-GENUINE | acknowledges and drops all but 10 events that run at a time":
    once(async (r, next, event) => {
      if (r.store.running.size >= 10) return { status: 200 };
      return next(event);
    }),
  "slack hook_open | verification | R-VERIFY-UNSIGNED R-VERIFY-BYPASS | answers the challenge of a request that is not signed":
    verify((r, next, a) => {
      const isJson = a.header("content-type").startsWith("application/json");
      const body = isJson ? parsed(a) : {};
      return body.type === "url_verification" ? r.event(a) : next(a);
    }),

  "twilio error_as_twiml | acknowledgement | R-ACK-FAILED | says the failure in a voice answer with status 200":
    (r) =>
      (r.failed = () => ({
        status: 200,
        type: "text/xml",
        body: "<Response><Say>Sorry</Say></Response>",
      })),
  "twilio account_only | verification | R-VERIFY-UNSIGNED R-VERIFY-BYPASS | takes a request without a signature if it names the account":
    verify((r, next, a) => {
      const form = Object.fromEntries(new URLSearchParams(a.bytes.toString()));
      return !a.header("x-twilio-signature") && form.AccountSid ? r.event(form) : next(a);
    }),

  "openai tolerance_ms | verification | R-VERIFY-STALE | passes 300000, in the belief that the tolerance is in milliseconds":
    (r) => (r.tolerance = 300_000),
  "openai retry_after_ms | acknowledgement | R-ACK-RETRY-AFTER | sends Retry-After as a time in milliseconds":
    (r) =>
      (r.failed = () => ({ status: 503, headers: { "Retry-After": String(Date.now() + 5000) } })),

  "paddle first_secret | verification | R-VERIFY-ROTATION | knows the first of its secrets only": (
    r,
  ) => r.secrets.splice(1),
  "paddle sweeper | idempotency | R-ONCE-DUPLICATE R-ROUTE-ONE | a job handles each event once more after 3 s":
    effect(async (_r, next, done) => {
      await next(done);
      setTimeout(() => next(done).catch(() => undefined), 3000).unref();
    }),

  "square exact_media | body | R-BODY-CHARSET | compares the media type with application/json as a whole":
    respond((r, next, request, response) =>
      request.headers["content-type"] === "application/json"
        ? next(request, response)
        : response.writeHead(415).end(),
    ),
  "square small_limit | body | R-BODY-DOCUMENTED | has a limit of 4 kB": (r) =>
    (r.parser = express.raw({ type: r.media, limit: 4000 })),
  "square hangs_on_get | http | R-METHOD R-HTTP-KEEP-ALIVE | never answers another method": respond(
    (r, next, request, response) =>
      request.method === "POST" ? next(request, response) : undefined,
  ),
});
