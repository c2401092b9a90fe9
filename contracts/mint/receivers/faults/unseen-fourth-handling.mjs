// The faults of `unseen-fourth.mjs` in what happens after verification.
import { setTimeout as sleep } from "node:timers/promises";
import { openStore, Refusal } from "../shared.mjs";
import { handle, once, receive, respond, step, table, verify } from "./plant.mjs";

const answerTo = step("answerTo");
/** Reads a body before its signature is verified, as many receivers do to choose a secret. */
export function peek(bytes) {
  try {
    return JSON.parse(bytes.toString()) ?? {};
  } catch {
    return {};
  }
}
/** Refuses a genuine event if `test` is true of it and its attempt. */
const refuseIf = (status, test) =>
  verify(async (_receiver, next, attempt) => {
    const event = await next(attempt);
    if (test(event, attempt)) throw new Refusal(status);
    return event;
  });
const amounts = (change) => (receiver) => {
  const changed = Object.entries(receiver.handlers).map(([type, amount]) => [
    type,
    (event) => change(amount(event)),
  ]);
  receiver.handlers = Object.fromEntries(changed);
};
const withHandlers = (handlers) => (receiver) => {
  receiver.handlers = { ...receiver.handlers, ...handlers };
};
const withoutDot = ({ body }) => body.total_price?.replace(".", "");

const idempotency = table({
  "shopify nonce_cache | idempotency | R-ACK-FAILED R-ONCE-DUPLICATE | A signature that was seen is refused as a replay. Shopify sends what failed again, with the same signature.":
    (receiver) => {
      const seen = new Set();
      refuseIf(401, (_event, { header }) => {
        const mac = header("x-shopify-hmac-sha256") ?? header("shopify-hmac-sha256");
        return seen.size === seen.add(mac).size;
      })(receiver);
    },
  "shopify cached_answer | idempotency | R-ACK-FAILED | A retry gets the answer of the first attempt, also if it failed. Shopify retries so that the event can succeed.":
    (planted) => {
      const answers = new Map();
      once(async (receiver, next, event) => {
        const key = receiver.key(event);
        if (answers.has(key)) return answers.get(key);
        const answer = await next(event);
        if (answer.status !== 409) answers.set(key, answer);
        return answer;
      })(planted);
    },
  "paddle lru_100 | idempotency | R-ONCE-RETRIES R-ONCE-DUPLICATE | The last 100 ids are kept in memory. Paddle retries for three days, however many events lie between.":
    ({ store }) => {
      const { complete, handled } = store;
      store.complete = (key) => {
        complete(key);
        if (handled.size > 100) handled.delete(handled.values().next().value);
      };
    },
  "standard-webhooks varchar_key | idempotency | R-ONCE-DISTINCT | The column of ids cuts them after 36 characters. An id is an opaque text.":
    step("key")((_receiver, next, event) => next(event).slice(0, 36)),
  "stripe serial_queue | load | R-ACK-HANGING R-ACK-IN-TIME R-LOAD-SHED | One event is handled at a time, so one that hangs makes all others time out.":
    (planted) => {
      let tail = Promise.resolve();
      handle((_receiver, honest, event) => {
        tail = tail.catch(() => undefined).then(() => honest(event));
        return tail;
      })(planted);
    },
  "square running_is_done | acknowledgement | R-ONCE-CONCURRENT R-ACK-IN-PROGRESS R-ACK-AFTER-HANDLER | An event that another request still handles is acknowledged. If that fails, no retry follows.":
    once((receiver, next, event) =>
      receiver.store.running.has(receiver.key(event)) ? receiver.success : next(event),
    ),
  "github cluster_memory | deploy | R-ONCE-DUPLICATE R-ONCE-CONCURRENT | Two processes behind one port keep their own ids. A delivery that is sent again may reach the other.":
    (receiver) => {
      const { list, record } = receiver.store;
      const store = { ...openStore(), list, record };
      const other = Object.assign(Object.create(receiver), { store });
      const { respond: honest } = receiver;
      const workers = new WeakMap();
      let next = 0;
      receiver.respond = (request, response) => {
        const { socket } = request;
        if (!workers.has(socket)) workers.set(socket, [receiver, other][next++ % 2]);
        return honest.call(workers.get(socket), request, response);
      };
    },
  "openai tenant_query | tenants | R-ONCE-DUPLICATE | The query names the tenant and is part of the key. The URL is not signed: with another one, a replay is a new event.":
    (receiver) => {
      step("event")((_receiver, next, attempt) => ({
        ...next(attempt),
        tenant: attempt.url.split("?")[1] ?? "",
      }))(receiver);
      receiver.key = ({ id, tenant }) => `${tenant} ${id}`;
    },
});

const storage = table({
  "slack drops_retries | acknowledgement | R-ACK-FAILED R-ACK-AFTER-HANDLER | Whatever has X-Slack-Retry-Num is acknowledged and dropped. A retry is the chance of an event that failed.":
    receive(async (receiver, next, attempt) => {
      if (!attempt.header("x-slack-retry-num")) return next(attempt);
      await receiver.verify(attempt);
      return receiver.success;
    }),
  "paddle effect_then_fail | storage | R-ACK-FAILED R-ONCE-TRANSACTION | The order is booked, and then an e-mail fails outside of its transaction. The retry books it again.":
    (receiver) => {
      const { effect: sendEmail } = receiver;
      receiver.effect = async function (effect) {
        this.store.record(effect);
        await sendEmail.call({ orders: this.orders, store: { record: () => undefined } }, effect);
      };
    },
  "github background_three | acknowledgement | R-ACK-AFTER-HANDLER R-ACK-FAILED R-NEVER-LOST | An event is acknowledged at once, tried three times in memory, and given up.":
    once((receiver, _next, event) => {
      const key = receiver.key(event);
      if (receiver.store.claim(key) !== "claimed") return receiver.success;
      const work = async () => {
        for (let attempt = 1; attempt <= 3; attempt += 1) {
          try {
            await receiver.handle(event);
            break;
          } catch {
            await sleep(200);
          }
        }
        receiver.store.complete(key);
      };
      void work();
      return receiver.success;
    }),
  "stripe unique_swallowed | storage | R-ACK-FAILED | Any error that says duplicate or unique counts as handled before. A conflict of another table is a failure.":
    handle(async (_receiver, next, event) => {
      try {
        await next(event);
      } catch (error) {
        if (!/duplicate|unique/i.test(error.message)) throw error;
      }
    }),
});

const answers = table({
  "standard-webhooks failed_410 | answers | R-ACK-RETRY-AFTER R-ACK-FAILED | A handler that finds no record is answered 410. Standard Webhooks: 410 disables the endpoint.":
    (receiver) => {
      receiver.failed = () => ({ status: 410 });
    },
  "square crash_in_log | logging | R-ALIVE | The access log parses the body when the answer is finished, and nothing catches it: a malformed body ends the process.":
    (planted) => {
      const log = [];
      respond((_receiver, next, request, response) => {
        response.on("finish", () => {
          if (Buffer.isBuffer(request.body)) log.push(JSON.parse(request.body.toString()).type);
        });
        return next(request, response);
      })(planted);
    },
  "github fail2ban | limits | R-ALIVE R-ACK-GENUINE | An address is banned after 20 bad signatures. Behind a proxy all have one address, so a stranger stops all deliveries.":
    (planted) => {
      let bad = 0;
      answerTo(async (_receiver, next, request) => {
        if (bad >= 20) return { status: 403 };
        try {
          return await next(request);
        } catch (error) {
          if (error.status === 401) bad += 1;
          throw error;
        }
      })(planted);
    },
});

const routing = table({
  "stripe api_version_pinned | routing | R-EVENT-UNKNOWN R-ACK-GENUINE | Another API version than the library's is refused. Stripe sends the endpoint's version.":
    refuseIf(400, ({ body }) => (body.api_version ?? "2026-10-28.endive") !== "2026-10-28.endive"),
  "paddle strict_schema | routing | R-EVENT-UNKNOWN | A schema refuses members that it does not list. Paddle may add fields at any time.":
    refuseIf(400, ({ body }) => {
      const known = "event_id event_type occurred_at notification_id data".split(" ");
      return Object.keys(body).some((name) => !known.includes(name));
    }),
  "slack text_missing | routing | R-ACK-GENUINE R-EVENT-UNKNOWN | A message without a text fails. Slack: subtypes such as message_deleted have other members.":
    withHandlers({ message: ({ body }) => void body.event.text.trim() }),
  "standard-webhooks fallthrough | routing | R-ROUTE-ONE | A missing break runs the handler of invoice.paid for user.created too.":
    handle(async (_receiver, next, event) => {
      await next(event);
      if (event.type === "user.created") await next({ ...event, type: "invoice.paid" });
    }),
  "shopify uninstalled_shop | tenants | R-ACK-GENUINE | All events of a shop are refused once app/uninstalled has been handled. shop/redact follows 48 hours later.":
    (planted) => {
      const gone = new Set();
      const shopOf = ({ header }) => header("x-shopify-shop-domain");
      refuseIf(401, (_event, attempt) => gone.has(shopOf(attempt)))(planted);
      receive(async (_receiver, next, attempt) => {
        const answer = await next(attempt);
        const isLast = attempt.header("x-shopify-topic") === "app/uninstalled";
        if (answer.status < 300 && isLast) gone.add(shopOf(attempt));
        return answer;
      })(planted);
    },
  "square unknown_merchant | tenants | R-ACK-GENUINE R-REFUSE-STATUS R-VERIFY-ALIKE | An unknown merchant is answered 404 before the signature is verified, so a stranger learns who is a customer.":
    verify((_receiver, next, attempt) => {
      if (peek(attempt.bytes).merchant_id !== "6SSW7HV8K2ST5") throw new Refusal(404);
      return next(attempt);
    }),
});

const money = table({
  "square int32 | money | R-MONEY-EXACT | Amounts are kept in 32 bits. Square: amount is a 64-bit integer.":
    amounts((amount) => String(Number(amount) | 0)),
  "stripe zero_amount | money | R-MONEY-EXACT R-ACK-GENUINE | An amount of 0 counts as missing and fails. An invoice of a trial has one.":
    amounts((amount) => {
      if (!Number(amount)) throw new Error("missing amount");
      return amount;
    }),
  "shopify dot_removed | money | R-MONEY-EXACT | Cents are made by removing the dot. A price is a decimal: 414 and 414.9 have no two decimals.":
    withHandlers({ "orders/paid": withoutDot, "orders/create": withoutDot }),
});

export const handlingFourth = [...idempotency, ...storage, ...answers, ...routing, ...money];
