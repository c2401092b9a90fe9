// Faults by an author who had read neither the checks nor the other faults: deduplicating, handling and answering.
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "../shared.mjs";
import { effect, handle, once, receive, respond, step, table, verify } from "./plant.mjs";

const key = step("key");
const never = () => new Promise(() => undefined);

/** Returns a plant made for each receiver, for faults that keep a state. */
const withState = (make) => (receiver) => {
  for (const plant of [make()].flat()) plant(receiver);
};

const handling = {
  "stripe ci_collation | deduplication key | R-ONCE-DISTINCT | Compares ids without regard to case, as MySQL's default collation does: of two events whose ids differ in case, one is lost.":
    key((_receiver, next, event) => next(event).toLowerCase()),
  "shopify number_id_key | deduplication key | R-ONCE-DISTINCT | Deduplicates by topic and the body's id, read as a number: a later event of an object is lost, and of objects whose ids differ after 16 digits, one.":
    key((_receiver, next, event) =>
      event.body.id === undefined ? next(event) : `${event.type} ${Number(event.body.id)}`,
    ),
  "paddle notification_key | deduplication key | R-ONCE-DUPLICATE | Deduplicates by notification_id, which a replay of an event has anew: the event is handled twice.":
    key((_receiver, next, event) => event.body.notification_id ?? next(event)),
  "shopify two_workers | deduplication store | R-ONCE-DUPLICATE R-ONCE-CONCURRENT | Each of two workers remembers ids in its own memory: a duplicate over another connection is handled twice.":
    withState(() => {
      const worker = new AsyncLocalStorage();
      const workers = new WeakMap();
      let count = 0;
      return [
        respond((_receiver, next, request, response) => {
          if (!workers.has(request.socket)) workers.set(request.socket, (count += 1) % 2);
          return worker.run(workers.get(request.socket), () => next(request, response));
        }),
        key((_receiver, next, event) => `${worker.getStore()} ${next(event)}`),
      ];
    }),
  "slack drop_retries | retries | R-ACK-FAILED | Acknowledges attempts with X-Slack-Retry-Num without handling them: an event whose first attempt failed is lost.":
    receive(async (receiver, next, attempt) => {
      if (attempt.header("x-slack-retry-num") === undefined) return next(attempt);
      await receiver.verify(attempt);
      return receiver.success;
    }),
  "shopify replay_cache | retries | R-ACK-FAILED R-ONCE-DUPLICATE | Refuses a signature that it has seen, even if the handler failed: a retry has the same bytes, so the event is lost.":
    withState(() => {
      const seen = new Set();
      return verify(async (_receiver, next, attempt) => {
        const event = await next(attempt);
        const signature =
          attempt.header("x-shopify-hmac-sha256") ?? attempt.header("shopify-hmac-sha256");
        const name = `${event.type} ${signature}`;
        if (seen.has(name)) throw new Refusal(401);
        seen.add(name);
        return event;
      });
    }),
  "svix gives_up | retries | R-ACK-FAILED R-DEAD-VISIBLE | Answers 200 when an event has failed for the third time, and drops it: an outage of three attempts loses events.":
    withState(() => {
      const failures = new Map();
      return once(async (receiver, next, event) => {
        const answer = await next(event);
        if (answer.status !== 503) return answer;
        const count = (failures.get(event.id) ?? 0) + 1;
        failures.set(event.id, count);
        if (count < 3) return answer;
        receiver.store.complete(receiver.key(event));
        return receiver.success;
      });
    }),
  "svix retry_after_ms | HTTP | R-ACK-RETRY-AFTER | Gives Retry-After in milliseconds: after a failure a sender that reads it waits for 41 days instead of an hour.":
    (receiver) => {
      receiver.failed = () => ({ status: 503, headers: { "Retry-After": "3600000" } });
    },
  "standard-webhooks gone | HTTP | R-ACK-RETRY-AFTER | Answers 410 if a handler fails, by which Standard Webhooks disables the endpoint: all later events are lost.":
    (receiver) => {
      receiver.failed = () => ({ status: 410 });
    },
  "standard-webhooks floating_promise | error handling | R-ACK-FAILED R-ACK-AFTER-HANDLER | Awaits the handler of invoice.paid only: if another one fails, the event is acknowledged and lost.":
    once((receiver, next, event) => {
      if (event.type === "invoice.paid") return next(event);
      const name = receiver.key(event);
      if (receiver.store.claim(name) !== "claimed") return receiver.success;
      receiver.handle(event).catch(() => undefined);
      receiver.store.complete(name);
      return receiver.success;
    }),
  "standard-webhooks file_rewrite | concurrency | R-LOAD-SHED R-NEVER-LOST R-ONCE-CONCURRENT | Reads the file of all effects, adds one and writes it back: of events that are handled at the same time, effects are lost.":
    withState(() => {
      let list = [];
      return (receiver) => {
        receiver.store.list = () => list;
        receiver.store.record = () => undefined;
        effect(async (_receiver, next, added) => {
          await next(added);
          const copy = structuredClone(list);
          await sleep(10);
          const same = copy.find(
            ({ eventId, type }) => eventId === added.eventId && type === added.type,
          );
          if (same) same.count += 1;
          else copy.push({ ...added, count: 1 });
          list = copy;
        })(receiver);
      };
    }),
  "slack ack_running | concurrency | R-ONCE-CONCURRENT R-ACK-IN-PROGRESS | Answers 200 to a duplicate while the first attempt runs, which may still fail: Slack ends its retries, and the event is lost.":
    once(async (receiver, next, event) => {
      const answer = await next(event);
      return answer.status === 409 ? receiver.success : answer;
    }),
  "paddle shared_connection | transactions | R-ONCE-TRANSACTION R-NEVER-LOST R-LOAD-SHED R-ACK-FAILED | All requests share one database connection: a failure rolls back effects of other events, which are then acknowledged.":
    withState(() => {
      const staged = [];
      return (receiver) => {
        const record = receiver.store.record;
        receiver.store.record = () => undefined;
        effect(async (_receiver, next, added) => {
          staged.push(added);
          await sleep(10);
          try {
            await next(added);
          } catch (error) {
            staged.length = 0;
            throw error;
          }
          for (const each of staged.splice(0)) record(each);
        })(receiver);
      };
    }),
  "github abandoned_claim | transactions | R-ACK-FAILED R-ALIVE R-NEVER-LOST | Stops a handler if the client has gone, and keeps its claim: after a client's timeout each retry gets 409, and the event is lost.":
    withState(() => {
      const current = new AsyncLocalStorage();
      return [
        respond((_receiver, next, request, response) =>
          current.run(response, () => next(request, response)),
        ),
        effect((_receiver, next, added) => (current.getStore().destroyed ? never() : next(added))),
      ];
    }),
  "square pool_leak | resources | R-ACK-FAILED R-ALIVE | Returns no connection to its pool of five if a handler fails: after five failures no event is handled.":
    withState(() => {
      const waiting = [];
      let free = 5;
      return handle(async (_receiver, next, event) => {
        if (free > 0) free -= 1;
        else await new Promise((resolve) => void waiting.push(resolve));
        await next(event);
        const first = waiting.shift();
        if (first) first();
        else free += 1;
      });
    }),
  "stripe prefix_route | routing | R-ROUTE-ONE | Chooses a handler by the beginning of the type: a charge.refund.updated is handled as charge.refunded, so a refund is booked twice.":
    handle((_receiver, next, event) =>
      next(event.type.startsWith("charge.refund") ? { ...event, type: "charge.refunded" } : event),
    ),
  "square int32_amount | money | R-MONEY-EXACT | Keeps amounts as integers of 32 bits: 2147483648 and more of the smallest unit get another value, mostly a negative one.":
    effect((_receiver, next, added) => {
      const { amountCents: amount } = added;
      return next({ ...added, amountCents: amount && String(Number(amount) | 0) });
    }),
  "twilio ok_reply | answer | R-ACK-GENUINE | Answers OK as text/plain: Twilio sends that to the customer as a message, or reads it out on a call.":
    (receiver) => {
      receiver.success = { status: 200, body: "OK", type: "text/plain" };
    },
};

export const handlingFifth = table(handling);
