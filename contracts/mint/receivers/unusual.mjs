// Receivers that are unusual but correct: nothing may be said against them.
import { setTimeout as sleep } from "node:timers/promises";
import { handle, once, respond, step, verify } from "./faults/plant.mjs";
import { peek } from "./faults/unseen-fourth-handling.mjs";
import { Refusal } from "./shared.mjs";
import { unusualAnswers } from "./unusual-answers.mjs";
import { unusualHosts } from "./unusual-hosts.mjs";

const answerTo = step("answerTo");
const all =
  (...plants) =>
  (receiver) => {
    for (const plant of plants) plant(receiver);
  };
const succeeds = (success) => (receiver) => {
  receiver.success = success;
};
const forbids = step("refused")((_receiver, next, error) => {
  const { status, headers } = next(error);
  return { status: status === 401 ? 403 : status, headers };
});

const plants = {
  "stripe no_content | Answers 204.": succeeds({ status: 204 }),
  "paddle stored_first | Stores the event, answers 202 in plain text, and tries until the handler succeeds.":
    all(
      succeeds({ status: 202, body: "queued", type: "text/plain" }),
      once((receiver, _next, event) => {
        const key = receiver.key(event);
        if (receiver.store.claim(key) !== "claimed") return receiver.success;
        const work = async () => {
          for (let isHandled = false; !isHandled;) {
            const handled = receiver.handle(event).then(() => true);
            isHandled = await Promise.race([handled, sleep(1000, false)]).catch(() => sleep(100));
          }
          receiver.store.complete(key);
        };
        void work();
        return receiver.success;
      }),
    ),
  "square tenant_secrets | Looks up the secrets by merchant_id, and answers 400 to what is no JSON object.":
    (receiver) => {
      const others = receiver.secrets;
      const tenants = new Map([["6SSW7HV8K2ST5", others]]);
      verify((_receiver, next, attempt) => {
        if (attempt.bytes.toString().trim()[0] !== "{") throw new Refusal(400);
        receiver.secrets = tenants.get(peek(attempt.bytes).merchant_id) ?? others;
        return next(attempt);
      })(receiver);
    },
  "standard-webhooks small_bodies | Takes at most 128 KiB.": (receiver) => {
    receiver.limit = 131_072;
  },
  "slack plain_answers | Answers ok in plain text, and 403 without a body to forgeries.": all(
    succeeds({ status: 200, body: "ok", type: "text/plain; charset=utf-8" }),
    forbids,
  ),
  "shopify closes | Closes the connection after each answer.": respond(
    (_receiver, next, request, response) => {
      response.setHeader("Connection", "close");
      return next(request, response);
    },
  ),
  "twilio empty_answer | Answers 204 without TwiML, and 403 to forgeries.": all(
    succeeds({ status: 204 }),
    forbids,
  ),
  "openai all_400 | Answers 400 to all that it refuses, and 404 to another method.": all(
    (receiver) => {
      receiver.refused = () => ({ status: 400 });
    },
    answerTo(async (_receiver, next, request) =>
      request.method === "POST" ? next(request) : { status: 404 },
    ),
  ),
  "stripe retries_inside | Tries a handler three times in a request, and answers 500 without Retry-After.":
    all(
      (receiver) => {
        receiver.failed = () => ({ status: 500 });
      },
      handle(async (_receiver, next, event) => {
        for (let attempt = 1; attempt < 3; attempt += 1) {
          try {
            return await next(event);
          } catch {
            await sleep(100);
          }
        }
        return next(event);
      }),
    ),
  "github waits_for_twin | A duplicate waits for the attempt that runs, and gets its answer.": (
    planted,
  ) => {
    const running = new Map();
    once((receiver, next, event) => {
      const key = receiver.key(event);
      const answer = running.get(key) ?? next(event).finally(() => running.delete(key));
      if (!running.has(key)) running.set(key, answer);
      return answer;
    })(planted);
  },
};

export const unusual = Object.entries({
  ...plants,
  ...unusualHosts,
  ...unusualAnswers,
}).map(([title, plant]) => {
  const [stack, name] = title.split(/ \| | /);
  return { stack, name, group: "unusual", expect: [], plant };
});
