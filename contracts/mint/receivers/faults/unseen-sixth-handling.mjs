// Faults that follow reports of real receivers' bugs: claiming, handling and booking.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "../shared.mjs";
import { effect, handle, once, step, table, verify } from "./plant.mjs";

const event = step("event");

const keyedBy = (key) => (receiver) => {
  receiver.key = key;
};

/** Changes the amounts that the handlers return. */
const amounts = (change) => (receiver) => {
  const changed = Object.entries(receiver.handlers).map(([type, amount]) => [
    type,
    (each) => change(amount(each), each),
  ]);
  receiver.handlers = Object.fromEntries(changed);
};
const ZERO_DECIMAL = new Set(
  "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf".split(" "),
);

const identity = {
  "stripe pinned_api_version | version | R-EVENT-UNKNOWN R-ACK-GENUINE | Refuses an event of another API version than the library expects: after an upgrade of the account no payment is booked.":
    (planted) => {
      let expected;
      once((_receiver, next, given) => {
        const { api_version: version } = given.body;
        expected ??= version;
        if (version && version !== expected) throw new Refusal(400);
        return next(given);
      })(planted);
    },
  "stripe ttl_from_created | memory | R-ONCE-DUPLICATE R-ONCE-RETRIES | Forgets an event a day after it was created instead of a day after it was handled: a retry of an older event pays again.":
    once(async (receiver, next, given) => {
      const answer = await next(given);
      const hasExpired = given.body.created * 1000 + 86_400_000 < Date.now();
      if (hasExpired) receiver.store.handled.delete(receiver.key(given));
      return answer;
    }),
  "shopify body_hash | identity | R-ONCE-DISTINCT | Recognizes duplicates by a hash of the body: orders/create and orders/paid have the same order, and the second one is lost.":
    keyedBy(({ body }) => createHash("sha256").update(JSON.stringify(body)).digest("hex")),
  "standard-webhooks by_signature | identity | R-ONCE-DUPLICATE | Recognizes duplicates by their signature: a retry is signed again with a later timestamp, and pays again.":
    (planted) => {
      event((_receiver, next, attempt) => {
        const signature = attempt.header("webhook-signature");
        return { ...next(attempt), signature };
      })(planted);
      planted.key = ({ signature }) => signature;
    },
  "standard-webhooks int64_id | identity | R-ONCE-DISTINCT | Reads ids of digits as numbers: ids of 64 bits are rounded, and an event whose id differs in the last digit is lost.":
    keyedBy(({ id }) => (/^\d+$/.test(id) ? String(Number(id)) : id)),
  "square resource_and_type | identity | R-ONCE-DISTINCT | Recognizes duplicates by the payment and the type: the second payment.updated of a payment, which completes it, is lost.":
    keyedBy(({ type, body }) => `${type} ${body.data?.id}`),
  "svix two_workers | memory | R-ONCE-DUPLICATE R-ONCE-CONCURRENT | Two workers behind a balancer each remember only the ids that they handled: a retry that reaches the other one pays again.":
    (planted) => {
      const { key } = planted;
      let requests = 0;
      planted.key = (given) => `${(requests += 1) % 2} ${key(given)}`;
    },
  "svix poisoned | order of steps | R-ACK-AFTER-HANDLER R-ACK-GENUINE | Reserves the id before it verifies: after a forged attempt with its id, a genuine event is acknowledged as a duplicate and lost.":
    (planted) => {
      const reserved = new Set();
      verify(async (receiver, next, attempt) => {
        const id = attempt.header("svix-id");
        const isDuplicate = reserved.has(id) && !receiver.store.running.has(id);
        reserved.add(id);
        const given = await next(attempt);
        return isDuplicate ? { answer: receiver.success } : given;
      })(planted);
      once(async (_receiver, next, given) => {
        const answer = await next(given);
        if (answer.status >= 500) reserved.delete(given.id);
        return answer;
      })(planted);
    },
  "github replay_409 | replay | R-ONCE-DUPLICATE R-ACK-FAILED | Takes a signature that it has seen for a replay, and answers 409: GitHub signs a redelivery alike, so that a failed event can never be sent again.":
    (planted) => {
      const seen = new Set();
      verify(async (_receiver, next, attempt) => {
        const given = await next(attempt);
        const signature = attempt.header("x-hub-signature-256");
        if (seen.has(signature)) throw new Refusal(409);
        seen.add(signature);
        return given;
      })(planted);
    },
};

const running = {
  "paddle lock_in_ms | concurrency | R-ONCE-CONCURRENT | The lock of an event lasts 10 ms, which were meant as seconds: a second attempt that arrives while the handler runs books the sale twice.":
    (planted) => {
      const { claim, running: held } = planted.store;
      planted.store.claim = (key) => {
        const state = claim(key);
        if (state === "claimed") setTimeout(() => held.delete(key), 10);
        return state;
      };
    },
  "paddle global_lock | concurrency | R-ALIVE R-ACK-GENUINE | One lock serves all events, and a handler may keep it for ever: after one that hangs no sale is booked.":
    (planted) => {
      let last = Promise.resolve();
      handle(async (_receiver, next, given) => {
        const before = last;
        const { promise, resolve } = Promise.withResolvers();
        last = promise;
        await before;
        await next(given).finally(resolve);
      })(planted);
    },
  "square shared_instance | concurrency | R-LOAD-SHED R-ONCE-DISTINCT | Keeps the event that it handles in a member of the one handler object: of two events at once, one is booked twice and the other never.":
    handle(async (receiver, next, given) => {
      receiver.current = given;
      await sleep(5);
      return next(receiver.current);
    }),
  "twilio waits_then_200 | concurrency | R-ACK-IN-PROGRESS R-ACK-FAILED | A second attempt waits for the first one, and is acknowledged even if that one fails: the message is lost.":
    (planted) => {
      const attempts = new Map();
      once(async (receiver, next, given) => {
        const key = receiver.key(given);
        const first = attempts.get(key);
        if (first) return first.then(() => receiver.success);
        const work = next(given).finally(() => attempts.delete(key));
        attempts.set(key, work);
        return work;
      })(planted);
    },
  "github listeners_pile_up | routing | R-ROUTE-ONE R-ONCE-DUPLICATE | Registers its listener again for each request: the second event runs it twice, and the hundredth deploys a hundred times.":
    (planted) => {
      let listeners = 0;
      handle(async (_receiver, next, given) => {
        listeners += 1;
        await Promise.all(Array.from({ length: listeners }, () => next(given)));
      })(planted);
    },
  "slack frozen_background | order of steps | R-ACK-AFTER-HANDLER | Answers first, and is frozen with the work still to do until the next request wakes it: a message is handled late or never.":
    (planted) => {
      const frozen = [];
      once(async (receiver, next, given) => {
        for (const work of frozen.splice(0)) void work();
        const isHandled = receiver.store.handled.has(receiver.key(given));
        if (!isHandled) frozen.push(() => next(given));
        return receiver.success;
      })(planted);
    },
};

const failing = {
  "slack retry_header | failure | R-ACK-FAILED | Acknowledges every attempt with X-Slack-Retry-Num, so as not to answer twice: if the first attempt failed, the message is lost.":
    verify(async (receiver, next, attempt) => {
      const given = await next(attempt);
      return attempt.header("x-slack-retry-num") ? { answer: receiver.success } : given;
    }),
  "openai cached_failure | failure | R-ACK-FAILED | Keeps the answer to each id, also one of 503: the handler never runs again, and the result is lost after a short failure of the database.":
    (planted) => {
      const answers = new Map();
      once(async (receiver, next, given) => {
        const key = receiver.key(given);
        if (answers.has(key)) return answers.get(key);
        const answer = await next(given);
        if (answer.status !== 409) answers.set(key, answer);
        return answer;
      })(planted);
    },
  "square gives_up | failure | R-ACK-FAILED | Acknowledges an event whose handler has failed three times, against storms of retries: a payment is lost if the database is away for a minute.":
    (planted) => {
      const failures = new Map();
      once(async (receiver, next, given) => {
        const answer = await next(given);
        if (answer.status < 500) return answer;
        const key = receiver.key(given);
        failures.set(key, (failures.get(key) ?? 0) + 1);
        return failures.get(key) < 3 ? answer : receiver.success;
      })(planted);
    },
  "paddle partial_write | failure | R-ONCE-TRANSACTION R-ACK-FAILED R-ONCE-DUPLICATE | Does not roll back what a handler wrote before it failed: the retry books the sale a second time.":
    effect(async (receiver, next, given) => {
      if (receiver.orders.failNext > 0) receiver.store.record(given);
      return next(given);
    }),
};

const booking = {
  "stripe same_second | order | R-ORDER-NONE R-ONCE-DISTINCT | Skips an event of an object that is not newer than the last one: Stripe counts in seconds, and the second event of a second is lost.":
    (planted) => {
      const newest = new Map();
      once(async (receiver, next, given) => {
        const { created, id } = given.body;
        const object = given.data?.id ?? id;
        const last = newest.get(object);
        if (last && last.id !== id && last.created >= created) return receiver.success;
        const answer = await next(given);
        if (answer.status < 300) newest.set(object, { created, id });
        return answer;
      })(planted);
    },
  "square unknown_payment | order | R-ORDER-NONE | Acknowledges a refund whose payment it has not seen, and skips it: if the refund's event is the first to arrive, the books show money that is gone.":
    (planted) => {
      const payments = new Set();
      once((receiver, next, given) => {
        const { payment, refund } = given.data ?? {};
        if (payment) payments.add(payment.id);
        return refund && !payments.has(refund.payment_id) ? receiver.success : next(given);
      })(planted);
    },
  "stripe zero_decimal | money | R-MONEY-EXACT | Takes an amount of yen for whole units, and makes it hundredths: an order of 5,000 yen is booked as 500,000.":
    amounts((amount, { data }) => (ZERO_DECIMAL.has(data?.currency) ? `${amount}00` : amount)),
  "svix via_dollars | money | R-MONEY-EXACT | Stores dollars as a float and cuts them to cents again: an invoice of 0.57 is booked as 0.56.":
    amounts((amount) => amount && String(Math.trunc((Number(amount) / 100) * 100))),
};

export const handlingSixth = table({ ...identity, ...running, ...failing, ...booking });
