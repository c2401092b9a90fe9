import { timingSafeEqual } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { handle, hmac, once, parsed, receive, step, table, verify } from "./plant.mjs";
import { onEnd } from "./unseen-hosts.mjs";
import { unseenStandard } from "./unseen-standard.mjs";

const answerTo = (change) => step("answerTo")(async (...values) => change(...values));
const genuine = step("genuine");
const read = step("read");
const equal = (one, other) => Buffer.from(one).equals(Buffer.from(other));
const now = () => Date.now() / 1000;
const form = ({ bytes }) => new URLSearchParams(bytes.toString());
// Written by somebody who had not read the checks, to find out what they miss.
const others = table({
  "stripe last_v1 | verification | R-VERIFY-EACH R-VERIFY-ROTATION | The header's pairs become an object, which keeps the last v1: each event is refused while two secrets sign.":
    genuine((_receiver, _next, { bytes, header }, secret) => {
      const pairs = header("stripe-signature").split(",");
      const { t, v1 } = Object.fromEntries(pairs.map((pair) => pair.split("=")));
      return equal(v1, hmac(secret, `${t}.${bytes}`)) && Math.abs(now() - Number(t)) <= 300;
    }),
  "stripe prefix_unverified | routing | R-VERIFY-BYPASS R-VERIFY-UNSIGNED | Verification is mounted on the exact path and the handler on all paths below it: /webhooks/x needs no signature.":
    verify((receiver, next, attempt) =>
      attempt.url.split("?")[0] === "/" ? next(attempt) : receiver.event(attempt),
    ),
  "stripe strict_schema | bodies | R-EVENT-UNKNOWN | Unknown members of the envelope are refused: a new member of Stripe's stops all events.":
    once((_receiver, next, event) => {
      const known =
        "id object api_version created data livemode pending_webhooks request type account context";
      const isKnown = Object.keys(event.body).every((name) => known.split(" ").includes(name));
      return isKnown || event.body.object !== "event" ? next(event) : { status: 400 };
    }),
  "stripe zero_amount | money | R-MONEY-EXACT R-ACK-GENUINE | An amount that is false counts as missing: an invoice of a free month fails at every retry.":
    handle(async (receiver, next, event) => {
      if (receiver.handlers[event.type]?.(event) === "0") throw new Error("missing amount");
      return next(event);
    }),

  "github caught_compare | verification | R-VERIFY-WHOLE | The comparison throws for another length, and a check that cannot run only writes a log line: a short signature opens the door.":
    genuine((_receiver, _next, { bytes, header }, secret) => {
      const signature = header("x-hub-signature-256");
      if (!signature) return false;
      let valid = true;
      try {
        valid = timingSafeEqual(
          Buffer.from(signature),
          Buffer.from(`sha256=${hmac(secret, bytes)}`),
        );
      } catch {
        // Logged.
      }
      return valid;
    }),
  "github user_agent | verification | R-VERIFY-BYPASS R-VERIFY-UNSIGNED | A User-Agent of GitHub is taken for proof: anyone can send it, and starts a deployment.":
    verify((receiver, next, attempt) =>
      attempt.header("user-agent")?.startsWith("GitHub-Hookshot/")
        ? receiver.event(attempt)
        : next(attempt),
    ),
  "github query_payload | verification | R-VERIFY-BYPASS R-VERIFY-TAMPERED | The payload is read from the query before the body, as PHP's $_REQUEST does: a captured attempt signs any payload.":
    (receiver) => {
      const { event } = receiver;
      receiver.event = (attempt) => {
        const payload = new URL(attempt.url, "http://localhost").searchParams.get("payload");
        if (!payload) return event.call(receiver, attempt);
        const header = (name) =>
          name === "content-type" ? "application/json" : attempt.header(name);
        return event.call(receiver, { ...attempt, bytes: Buffer.from(payload), header });
      };
    },
  "github default_limit | bodies | R-BODY-DOCUMENTED | The parser's default of 100 kB stays: GitHub sends up to 25 MB, and large pushes are lost.":
    (receiver) => {
      receiver.limit = 102_400;
    },
  // Svix
  "shopify rate_limit | load | R-LOAD-SHED R-ACK-GENUINE | A limit of 100 requests in 15 minutes for each address holds for the vendor, too: events of a sale are refused.":
    (receiver) => {
      let count = 0;
      answerTo((_self, next, request) => {
        count += 1;
        return count > 100 ? { status: 429, headers: { "Retry-After": "900" } } : next(request);
      })(receiver);
    },
  "shopify parallel_verify | verification | R-VERIFY-UNSIGNED R-VERIFY-TAMPERED R-VERIFY-WRONG-KEY | The work starts while the signature is verified, to save time: the answer is 401, and the order is booked.":
    receive(async (receiver, _next, attempt) => {
      const work = receiver.once(await receiver.event(attempt));
      await receiver.verify(attempt);
      return work;
    }),

  "slack parse_crash | bodies | R-REFUSE-STATUS R-BODY-JSON | The handshake is parsed before verification, in a callback: any broken body ends the process.":
    onEnd((receiver, attempt) => {
      const isJson = attempt.header("content-type").startsWith("application/json");
      if (isJson) parsed(attempt);
      return receiver.receive(attempt);
    }),
  "slack serial | load | R-ACK-IN-TIME R-LOAD-SHED | Events wait for each other in one chain of promises: a burst passes Slack's 3 seconds.":
    handle(async (receiver, next, event) => {
      const before = receiver.chain;
      let finish;
      receiver.chain = new Promise((resolve) => (finish = resolve));
      await before;
      await sleep(300);
      await next(event).finally(finish);
    }),
  "slack form_unverified | verification | R-VERIFY-UNSIGNED R-VERIFY-BYPASS | Events are verified, and buttons and commands, which come as forms, are not: anyone runs a command.":
    verify((receiver, next, attempt) =>
      attempt.header("content-type").startsWith("application/x-www-form-urlencoded")
        ? receiver.event(attempt)
        : next(attempt),
    ),

  "twilio blank_fields | verification | R-ACK-GENUINE R-VERIFY-RAW | Empty fields are filtered before signing: a message without text is refused.":
    genuine((receiver, _next, attempt, token) => {
      const fields = [...form(attempt)]
        .filter(([, value]) => value !== "")
        .toSorted(([a], [b]) => (a < b ? -1 : 1));
      const text = receiver.publicUrl + fields.map((field) => field.join("")).join("");
      return equal(attempt.header("x-twilio-signature"), hmac(token, text, "base64", "sha1"));
    }),
  "twilio echo_xml | leaks | R-LEAK-DETAILS R-LEAK-NOTHING | The answer repeats the message without escaping: who sends a text message writes instructions for Twilio, such as calls.":
    receive(async (_receiver, next, attempt) => {
      const answer = await next(attempt);
      const text = form(attempt).get("Body");
      return {
        ...answer,
        ...(answer.body && { body: `<Response><Message>${text}</Message></Response>` }),
      };
    }),

  "square includes | verification | R-VERIFY-WHOLE | The arguments of includes are swapped: any part of the signature passes, such as its last `=`.":
    genuine((receiver, _next, { bytes, header }, secret) => {
      const signature = header("x-square-hmacsha256-signature");
      if (!signature) return false;
      return hmac(secret, `${receiver.publicUrl}${bytes}`, "base64").includes(signature);
    }),
  "square ttl_ms | duplicates | R-ONCE-RETRIES R-ONCE-DUPLICATE | Ids are kept for 300, meant as seconds, in milliseconds: each retry is booked again.":
    once(async (receiver, next, event) => {
      const answer = await next(event);
      setTimeout(() => receiver.store.handled.delete(receiver.key(event)), 300).unref();
      return answer;
    }),
  "square host_url | verification | R-VERIFY-BYPASS R-VERIFY-TAMPERED R-VERIFY-MAC | The URL is built from the Host header: an attempt for the test shop, which has the same key, is booked.":
    (receiver) => {
      const original = receiver.genuine;
      receiver.genuine = (attempt, secret) => {
        const publicUrl = `http://${attempt.header("host")}/webhooks`;
        return original.call({ ...receiver, publicUrl }, attempt, secret);
      };
    },

  "paddle occurred_at | time | R-ORDER-NONE R-ACK-AFTER-HANDLER | The tolerance is compared with the event's own time: retries of an hour ago are acknowledged and dropped.":
    once((receiver, next, event) =>
      Date.now() - Date.parse(event.body.occurred_at) > 300_000 ? receiver.success : next(event),
    ),
  "paddle put_unverified | HTTP | R-VERIFY-BYPASS R-METHOD | Verification is mounted for POST and the handler for all methods: PUT needs no signature.":
    answerTo(async (receiver, next, request) => {
      if (request.method !== "PUT") return next(request);
      const bytes = await receiver.read(request);
      return receiver.once(receiver.event({ bytes, header: (name) => request.headers[name] }));
    }),
  "paddle crash_unicode | bodies | R-VERIFY-WHOLE R-REFUSE-STATUS | Lengths are compared in characters and then bytes, in a callback: one letter with an accent ends the process.":
    onEnd((receiver, attempt) => {
      const header = attempt.header("paddle-signature") ?? "";
      const [, time, given = ""] = /^ts=(\d+);h1=(.*)$/.exec(header) ?? [];
      const expected = hmac(receiver.secrets[0], `${time}:${attempt.bytes}`);
      const isEqual =
        given.length === expected.length &&
        timingSafeEqual(Buffer.from(given), Buffer.from(expected));
      return isEqual || receiver.secrets.length > 1 ? receiver.receive(attempt) : { status: 401 };
    }),
  "paddle split_utf8 | bodies | R-VERIFY-RAW R-HTTP-FORMS | Chunks are added to a string: a letter on the border of two becomes two question marks, and the event is refused.":
    read(async (_receiver, next, request) => {
      request[Symbol.asyncIterator] = async function* decoded() {
        let text = "";
        for await (const chunk of request.iterator()) text += chunk;
        yield Buffer.from(text);
      };
      return next(request);
    }),
  "paddle pool_leak | load | R-ACK-FAILED R-ACK-GENUINE | A failed handler keeps its connection: after five failures the pool of five is empty, and all events fail.":
    handle(async (receiver, next, event) => {
      receiver.leaked ??= 0;
      if (receiver.leaked >= 5) throw new Error("timeout exceeded when trying to connect");
      receiver.leaked += 1;
      await next(event);
      receiver.leaked -= 1;
    }),

  "openai missing_id_ok | verification | R-VERIFY-UNSIGNED R-VERIFY-BYPASS R-VERIFY-TAMPERED | Deliveries without webhook-id count as old ones, made before signing: whoever leaves it out needs no secret.":
    verify((receiver, next, attempt) => {
      if (attempt.header("webhook-id")) return next(attempt);
      const body = parsed(attempt);
      return { id: body.id, type: body.type, body };
    }),
  "openai middleware_header | verification | R-VERIFY-BYPASS | Verification is a middleware of Next.js, old versions of which skip it for a header of their own: anyone sends it.":
    verify((receiver, next, attempt) =>
      attempt.header("x-middleware-subrequest") ? receiver.event(attempt) : next(attempt),
    ),
  "openai key_second | duplicates | R-ONCE-DISTINCT | The key is the type and the second of its creation: two answers that end together are one.":
    (receiver) => {
      receiver.key = ({ type, body }) => `${type} ${body.created_at}`;
    },
});

export const unseen = [...others, ...unseenStandard];
