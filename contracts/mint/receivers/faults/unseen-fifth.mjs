// Faults by an author who had read neither the checks nor the other faults: verifying, reading and decoding.
import { timingSafeEqual } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "../shared.mjs";
import { hmac, parsed, receive, standardMacs, step, table, verify } from "./plant.mjs";
import { handlingFifth } from "./unseen-fifth-handling.mjs";

const answerTo = step("answerTo");
const genuine = step("genuine");
const read = step("read");
const event = step("event");

const isEqual = (one, other) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
const isForm = ({ header }) => (header("content-type") ?? "").includes("form-urlencoded");
const pathOf = (url) => url.split("?")[0];
const PADDLE_ADDRESSES = ["34.232.58.13", "34.195.105.136", "34.237.3.244", "35.155.119.135"];

/** Verifies Standard Webhooks by hand; `now` is in seconds, and `isValid` judges the signatures by a MAC. */
const standardByHand = (prefix, now, isValid) =>
  verify((receiver, _next, attempt) => {
    const signature = attempt.header(`${prefix}-signature`);
    const age = now() - Number(attempt.header(`${prefix}-timestamp`));
    if (!signature || !(Math.abs(age) <= 300)) throw new Refusal(401);
    const given = signature.split(" ").filter((each) => each.startsWith("v1,"));
    const isGenuine = standardMacs(receiver, attempt, prefix).some((mac) =>
      isValid(given, (each) => isEqual(each.slice(3), mac)),
    );
    if (!isGenuine) throw new Refusal(401);
    return receiver.event(attempt);
  });

const verifying = {
  "stripe path_bypass | route | R-VERIFY-BYPASS | Verifies at exactly /webhooks, but Express also routes /webhooks/ and /WEBHOOKS to the handler: forged events at these paths are handled.":
    answerTo(async (receiver, next, request) => {
      if (pathOf(request.originalUrl) === receiver.path || request.method !== "POST")
        return next(request);
      const { headers } = request;
      const bytes = await receiver.read(request);
      return receiver.once(receiver.event({ bytes, headers, header: (name) => headers[name] }));
    }),
  "slack lockout | resources | R-ALIVE R-ACK-GENUINE | Refuses everything for a minute after 20 forged attempts, whoever sent them: anyone can keep genuine events out.":
    (receiver) => {
      let failures = 0;
      let until = 0;
      verify(async (_receiver, next, attempt) => {
        if (Date.now() < until) throw new Refusal(429);
        try {
          return await next(attempt);
        } catch (error) {
          failures += 1;
          if (failures % 20 === 0) until = Date.now() + 60_000;
          throw error;
        }
      })(receiver);
    },
  "github hookshot_agent | trusted header | R-VERIFY-BYPASS R-VERIFY-UNSIGNED | Skips verification if the User-Agent begins with GitHub-Hookshot/: anyone can send that header.":
    verify((receiver, next, attempt) =>
      attempt.header("user-agent")?.startsWith("GitHub-Hookshot/")
        ? receiver.event(attempt)
        : next(attempt),
    ),
  "paddle allowed_ip | trusted header | R-VERIFY-BYPASS | Skips verification if the first address of X-Forwarded-For is one that Paddle publishes: anyone can send that header.":
    verify((receiver, next, attempt) => {
      const [first] = (attempt.header("x-forwarded-for") ?? "").split(",");
      return PADDLE_ADDRESSES.includes(first.trim()) ? receiver.event(attempt) : next(attempt);
    }),
  "twilio forwarded_url | trusted header | R-VERIFY-BYPASS R-VERIFY-TAMPERED | Verifies the URL that X-Forwarded-Host and X-Forwarded-Proto name: an attempt that was signed for another host of the account is accepted with its host in the header.":
    genuine((receiver, next, attempt, secret) => {
      const own = receiver.publicUrl;
      const host = attempt.header("x-forwarded-host");
      const protocol = attempt.header("x-forwarded-proto") ?? "https";
      try {
        if (host) receiver.publicUrl = `${protocol}://${host}${receiver.path}`;
        return next(attempt, secret);
      } finally {
        receiver.publicUrl = own;
      }
    }),
  "svix either_id | unsigned data | R-EVENT-ID R-VERIFY-TAMPERED R-ONCE-DUPLICATE R-VERIFY-BYPASS | Takes the id from webhook-id if it is there, but verifies svix-id: a captured attempt with a new webhook-id is handled again.":
    event((_receiver, next, attempt) => {
      const found = next(attempt);
      return { ...found, id: attempt.header("webhook-id") ?? found.id };
    }),
  "paddle query_wins | unsigned data | R-VERIFY-BYPASS R-EVENT-ID R-VERIFY-TAMPERED R-ONCE-DUPLICATE | Merges the query over the signed body: a captured attempt with another ?event_id= is handled again, and ?event_type= chooses its handler.":
    event((_receiver, next, attempt) => {
      const query = new URLSearchParams(attempt.url.split("?")[1]);
      const { event_id: id, event_type: type } = Object.fromEntries(query);
      const found = next(attempt);
      return { ...found, id: id ?? found.id, type: type ?? found.type };
    }),
  "openai every_signature | comparison | R-VERIFY-VERSION R-VERIFY-EACH | Accepts if every v1 signature is valid, which is true of none: a header with another version only is accepted, and a rotation's two signatures are refused.":
    standardByHand(
      "webhook",
      () => Date.now() / 1000,
      (given, isRight) => given.every(isRight),
    ),
  "square empty_secret | secret | R-VERIFY-WRONG-KEY R-SECRET-FORM | Splits the secrets at commas, and the list ends with one: a signature by the empty secret is accepted.":
    verify(async (receiver, next, attempt) => {
      const mac = hmac("", `${receiver.publicUrl}${attempt.bytes}`, "base64");
      const given = attempt.header("x-square-hmacsha256-signature") ?? "";
      return isEqual(given, mac) ? receiver.event(attempt) : next(attempt);
    }),
  "standard-webhooks drops_old_secret | rotation | R-VERIFY-ROTATION | Forgets the first secret once the second one has verified an attempt: retries that the first one signed are refused for ever.":
    genuine((receiver, next, attempt, secret) => {
      const isGenuine = next(attempt, secret);
      if (receiver.secrets.indexOf(secret) > 0) receiver.secrets = [secret];
      return isGenuine;
    }),
  "svix clock_at_start | clock | R-VERIFY-STALE | Reads the clock once, when the process starts: attempts that are too old are accepted, and after five minutes all are refused.":
    (receiver) => {
      const start = Date.now() / 1000;
      standardByHand(
        "svix",
        () => start,
        (given, isRight) => given.some(isRight),
      )(receiver);
    },
  "stripe created_age | clock | R-ACK-GENUINE R-VERIFY-STALE | Compares the event's created instead of the signature's t with the tolerance: a retry after more than five minutes is refused for ever.":
    verify(async (_receiver, next, attempt) => {
      const found = await next(attempt);
      if (Date.now() / 1000 - found.body.created > 300) throw new Refusal(400);
      return found;
    }),
  "shopify old_trigger_dropped | clock | R-NEVER-LOST R-ORDER-NONE R-ACK-AFTER-HANDLER R-ACK-GENUINE | Acknowledges events whose X-Shopify-Triggered-At is older than five minutes without handling them: those of later retries are lost.":
    receive(async (receiver, next, attempt) => {
      const triggered = Date.parse(attempt.header("x-shopify-triggered-at") ?? "");
      if (!(Date.now() - triggered > 300_000)) return next(attempt);
      await receiver.verify(attempt);
      return receiver.success;
    }),
  "github nul_text | encoding | R-VERIFY-RAW R-ACK-GENUINE | Stores bodies as jsonb, which refuses \\u0000 in a text: genuine events with it fail for ever.":
    verify(async (_receiver, next, attempt) => {
      const found = await next(attempt);
      if (JSON.stringify(found.body ?? {}).includes("\\u0000")) throw new Refusal(500);
      return found;
    }),
  "twilio expected_in_answer | leak | R-LEAK-NOTHING | Names the signature that it expected when it refuses an attempt: anyone can have any message signed.":
    verify(async (receiver, next, attempt) => {
      try {
        return await next(attempt);
      } catch {
        const form = Object.fromEntries(new URLSearchParams(attempt.bytes.toString()));
        const names = Object.keys(form).toSorted();
        const text = receiver.publicUrl + names.map((name) => name + form[name]).join("");
        const expected = hmac(receiver.secrets[0], text, "base64", "sha1");
        return { answer: { status: 403, body: JSON.stringify({ error: "signature", expected }) } };
      }
    }),
  "square regex_type | decoding | R-ROUTE-ONE R-VERIFY-RAW | Finds the type by a regular expression: escapes stay in it, and if the members have another order, the type of a nested object is taken.":
    event((_receiver, next, attempt) => {
      const [, type] = /"type"\s*:\s*"([^"]*)"/.exec(attempt.bytes.toString()) ?? [];
      return { ...next(attempt), type };
    }),
  "openai strict_schema | schema | R-EVENT-UNKNOWN | Refuses events with a member that its schema does not know: they are refused for ever once the provider adds one.":
    verify(async (_receiver, next, attempt) => {
      const found = await next(attempt);
      const known = ["id", "object", "created_at", "type", "data"];
      if (!Object.keys(found.body).every((name) => known.includes(name))) throw new Refusal(400);
      return found;
    }),
  "openai length_only | HTTP | R-HTTP-FORMS | Reads as many bytes as Content-Length says, and none without it: genuine attempts in chunked coding, as proxies send them, are refused.":
    read((_receiver, next, request) =>
      request.headers["content-length"] === undefined ? Buffer.alloc(0) : next(request),
    ),
  "github redos | resources | R-ALIVE | Tests the signature header with /^sha256=([0-9a-f]+)+$/: a wrong last character of an unsigned attempt makes the process hang.":
    verify((_receiver, next, attempt) => {
      if (!/^sha256=([0-9a-f]+)+$/.test(attempt.header("x-hub-signature-256") ?? ""))
        throw new Refusal(401);
      return next(attempt);
    }),
  "slack handshake_400 | handshake | R-ACK-GENUINE | Requires an event_id of every JSON body: the signed url_verification gets 400, and the URL cannot be saved at Slack.":
    event((_receiver, next, attempt) => {
      const found = next(attempt);
      return isForm(attempt) || parsed(attempt).event_id ? found : { type: "url_verification" };
    }),
  "openai global_body | shared state | R-ONCE-CONCURRENT R-LOAD-SHED R-ACK-GENUINE | Keeps the raw body in a variable of the module: of genuine attempts at the same time, all but the last are refused.":
    (receiver) => {
      let body;
      verify(async (_receiver, next, attempt) => {
        body = attempt.bytes;
        await sleep(5);
        return next({ ...attempt, bytes: body });
      })(receiver);
    },
  "twilio last_message | leak | R-LEAK-NOTHING | Answers GET with the fields of the last message, a page for debugging: anyone can read customers' messages and numbers.":
    (receiver) => {
      let last = {};
      verify(async (_receiver, next, attempt) => {
        const found = await next(attempt);
        last = found.body;
        return found;
      })(receiver);
      answerTo(async (_receiver, next, request) =>
        request.method === "GET" ? { status: 200, body: JSON.stringify(last) } : next(request),
      )(receiver);
    },
};

export const unseenFifth = [...table(verifying), ...handlingFifth];
