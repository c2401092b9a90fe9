// Faults after verification: idempotency, acknowledgement, load, HTTP, routing, money and leaks.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { effect, handle, once, receive, respond, standardMacs, table, verify } from "./plant.mjs";

const ok = { status: 200 };

/** Handles the event after it was acknowledged, and forgets a failure. */
const acknowledgeFirst = once((r, next, event) => {
  void next(event);
  return ok;
});

/** Reads an amount of a receiver's handlers in another way. */
const amounts = (change) => (r) => {
  r.handlers = Object.fromEntries(
    Object.entries(r.handlers).map(([type, read]) => [type, (event) => change(read(event))]),
  );
};

export const handling = table({
  "stripe by_object | idempotency | R-ONCE-DISTINCT | the key is the type with the object's id, not the event's id":
    (r) => (r.key = ({ type, data }) => `${type} ${data?.id}`),
  "stripe ack_first | acknowledgement | R-ACK-AFTER-HANDLER R-ACK-FAILED | answers 200 before the handler runs, and forgets a failure":
    acknowledgeFirst,
  "stripe cents_by_float | money | R-MONEY-EXACT | turns cents into units and back with binary fractions":
    amounts((cents) => cents && String(Math.trunc((Number(cents) / 100) * 100))),

  "github by_digest | idempotency | R-ONCE-DISTINCT R-ONCE-REUSED | the key is the digest of the body":
    (r) => (r.key = ({ body }) => createHash("sha256").update(JSON.stringify(body)).digest("hex")),
  "github unknown_500 | routing | R-EVENT-UNKNOWN R-ACK-GENUINE | an event that has no handler is answered 500":
    once((r, next, event) =>
      Object.hasOwn(r.handlers, event.type) ? next(event) : { status: 500 },
    ),

  "svix never_released | idempotency | R-ACK-FAILED | marks the id before the handler and leaves it when the handler fails":
    (r) => (r.store.release = (key) => r.store.complete(key)),
  "svix expected_in_answer | leaks | R-LEAK-NOTHING | a refusal tells the signature that was expected":
    (r) => {
      verify(async (_r, next, a) => {
        r.expected = standardMacs(r, a, "svix")[0];
        return next(a);
      })(r);
      r.refused = () => ({ status: 401, body: JSON.stringify({ expected: `v1,${r.expected}` }) });
    },

  "standard-webhooks window_60s | idempotency | R-ONCE-RETRIES R-ONCE-DUPLICATE | forgets an id after 60 s":
    (r) => {
      const { complete } = r.store;
      r.store.complete = (key) => {
        complete(key);
        setTimeout(() => r.store.handled.delete(key), 60_000).unref();
      };
    },
  "standard-webhooks check_then_act | idempotency | R-ONCE-CONCURRENT | looks the id up first and stores it after the handler":
    (r) => {
      const { store } = r;
      store.claim = (key) => (store.handled.has(key) ? "handled" : "claimed");
    },
  "standard-webhooks ok_on_exception | acknowledgement | R-ACK-FAILED | catches the handler's error and answers 200":
    (r) => (r.failed = () => ok),
  "standard-webhooks by_prefix | routing | R-ROUTE-ONE R-EVENT-UNKNOWN | runs the handler whose type begins like the event's":
    handle((r, next, event) => {
      const begins = (type) => event.type.startsWith(type.split(".")[0]);
      return next({ ...event, type: Object.keys(r.handlers).find(begins) ?? event.type });
    }),

  "shopify by_webhook_id | idempotency | R-ONCE-DUPLICATE | the key is the delivery's id, which changes in a redelivery":
    (r) => (r.key = ({ webhookId }) => webhookId),
  "shopify by_event_id | idempotency | R-ONCE-DISTINCT R-ACK-GENUINE | the key is the event's id without the topic":
    (r) => (r.key = ({ id }) => id),
  "shopify price_by_float | money | R-MONEY-EXACT | Math.floor(Number(price) * 100)": amounts(
    (cents) => cents && String(Math.floor((Number(cents) / 100) * 100)),
  ),
  "shopify stack_in_answer | leaks | R-LEAK-STACK | answers a refusal with the error's stack": (
    r,
  ) => (r.refused = (error) => ({ status: error.status ?? 400, body: error.stack })),

  "slack ack_first | acknowledgement | R-ACK-AFTER-HANDLER R-ACK-FAILED | answers within 3 s by handling later, and forgets a failure":
    acknowledgeFirst,
  "slack retry_ignored | acknowledgement | R-ACK-FAILED | answers 200 to X-Slack-Retry-Num without handling":
    receive((r, next, a) => (a.header("x-slack-retry-num") ? ok : next(a))),
  "slack late | acknowledgement | R-ACK-IN-TIME | answers after 4 s, and Slack waits 3": receive(
    async (r, next, a) => {
      const answer = await next(a);
      if (answer.status === 200) await sleep(4000);
      return answer;
    },
  ),

  "twilio by_sid | idempotency | R-ONCE-DISTINCT | the key is the sid without the status": (r) =>
    (r.key = ({ sid }) => sid),
  "twilio unique_violation | idempotency | R-ONCE-DUPLICATE | a duplicate violates the unique constraint: 500":
    once((r, next, event) => (r.store.handled.has(r.key(event)) ? { status: 500 } : next(event))),
  "twilio token_header | leaks | R-LEAK-NOTHING | a debugging header of each answer has the token":
    respond((r, next, request, response) => {
      response.setHeader("X-Debug-Token", r.secrets[0]);
      return next(request, response);
    }),
  "twilio reads_get | http | R-METHOD R-VERIFY-BYPASS | handles GET as it handles POST": (r) => {
    const { answerTo } = r;
    r.answerTo = (request) => {
      if (request.method !== "GET") return answerTo.call(r, request);
      const { searchParams } = new URL(request.url, r.publicUrl);
      const event = r.event({ bytes: searchParams });
      return r.once(event);
    };
  },

  "openai by_body_id | idempotency | R-ONCE-DISTINCT | the key is the body's id, not the header's":
    (r) => (r.key = ({ body }) => body.id),
  "openai redirect | http | R-ACK-GENUINE | redirects to the address with a slash": respond(
    (r, next, request, response) => response.writeHead(308, { Location: "/webhooks/" }).end(),
  ),
  "openai error_in_answer | leaks | R-LEAK-DETAILS | a failure is answered with the error's message":
    (r) =>
      (r.failed = (error) => ({ status: 503, body: JSON.stringify({ error: error?.message }) })),

  "paddle by_notification | idempotency | R-ONCE-DUPLICATE | the key is the notification's id, which a replay has anew":
    (r) => (r.key = ({ body }) => body.notification_id),
  "paddle amount_32 | money | R-MONEY-EXACT | keeps amounts in 32 bits": amounts(
    (cents) => cents && String(Math.trunc(Number(cents)) | 0),
  ),
  "paddle blocking | load | R-ACK-IN-TIME R-LOAD-SHED | a handler computes for 0.5 s without a pause":
    handle((r, next, event) => {
      const end = Date.now() + 500;
      while (Date.now() < end);
      return next(event);
    }),
  "paddle hangs_up | http | R-REFUSE-STATUS | closes the connection instead of refusing": (r) => {
    respond(async (_r, next, request, response) => {
      r.refused = () => {
        request.destroy();
        return ok;
      };
      return next(request, response);
    })(r);
  },

  "square refuses_410 | http | R-REFUSE-STATUS | refuses with 410, which ends a subscription": (
    r,
  ) => (r.refused = () => ({ status: 410 })),
  "square folded_ids | idempotency | R-ONCE-DISTINCT | compares ids without regard to case": (r) =>
    (r.key = ({ id }) => id.toLowerCase()),
  "square twice | idempotency | R-ROUTE-ONE R-ONCE-DUPLICATE R-EFFECTS-LIST | the handler is registered twice":
    effect(async (r, next, done) => {
      await next(done);
      await next(done);
    }),
});
