import { setTimeout as sleep } from "node:timers/promises";
import { once, receive, standardMacs, step, table, verify } from "./plant.mjs";
import { onFastify, onFetch } from "./unseen-hosts.mjs";

const answerTo = (change) => step("answerTo")(async (...values) => change(...values));
const genuine = step("genuine");
const now = () => Date.now() / 1000;
const standardOk = ({ headers }, prefix) =>
  Math.abs(now() - Number(headers[`${prefix}-timestamp`])) <= 300;
const v1Of = ({ headers }, prefix) =>
  headers[`${prefix}-signature`]
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
    .map((each) => each.slice(3));
const macOf = (secret, attempt, prefix) => standardMacs({ secrets: [secret] }, attempt, prefix)[0];

/** The part of `unseen.mjs` over Svix and Standard Webhooks. */
export const unseenStandard = table({
  "svix if_any_v1 | verification | R-VERIFY-VERSION R-VERIFY-WHOLE | The signatures of version 1 are compared if there are any: one of version 2 opens the door.":
    genuine((_receiver, _next, attempt, secret) => {
      const given = v1Of(attempt, "svix");
      const isWrong = given.length > 0 && !given.includes(macOf(secret, attempt, "svix"));
      return !isWrong && standardOk(attempt, "svix");
    }),
  "svix text_unverified | verification | R-VERIFY-BYPASS R-VERIFY-UNSIGNED | The Fastify hook verifies buffers; a text/plain body is parsed to a string, and is not verified.":
    onFastify({
      async verify(receiver, attempt, request) {
        if (Buffer.isBuffer(request.body)) await receiver.verify(attempt);
      },
    }),
  "svix shared_raw | load | R-LOAD-SHED R-ACK-GENUINE | The raw body is kept on the application, not on the request: attempts at the same time are verified over another's body.":
    onFastify({
      async verify(receiver, attempt, request) {
        receiver.rawBody = request.body;
        // Looks up the merchant.
        await sleep(5);
        await receiver.verify({ ...attempt, bytes: receiver.rawBody });
      },
    }),
  "svix date_header | time | R-VERIFY-STALE R-VERIFY-BYPASS | The age is taken from the request's Date, against skewed clocks: an old attempt comes with its old Date.":
    genuine((_receiver, _next, attempt, secret) => {
      const date = Date.parse(attempt.headers.date) / 1000 || now();
      const isNew = Math.abs(date - Number(attempt.headers["svix-timestamp"])) <= 300;
      return isNew && v1Of(attempt, "svix").includes(macOf(secret, attempt, "svix"));
    }),

  "standard-webhooks every_signature | verification | R-VERIFY-EACH R-VERIFY-ROTATION | Every signature must match: all events are refused while two secrets sign.":
    genuine((_receiver, _next, attempt, secret) => {
      const given = v1Of(attempt, "webhook");
      const mac = macOf(secret, attempt, "webhook");
      return (
        given.length > 0 && given.every((each) => each === mac) && standardOk(attempt, "webhook")
      );
    }),
  "standard-webhooks gone_unknown | acknowledgement | R-EVENT-UNKNOWN R-ACK-GENUINE | A type without a handler is answered with 410: the sender ends the whole subscription.":
    once((receiver, next, event) =>
      Object.hasOwn(receiver.handlers, event.type) ? next(event) : { status: 410 },
    ),
  "standard-webhooks last_ids | duplicates | R-ONCE-RETRIES R-ONCE-DUPLICATE | Only the last 20 ids are kept: a retry an hour later is paid twice.":
    once(async (receiver, next, event) => {
      const answer = await next(event);
      const { handled } = receiver.store;
      if (handled.size > 20) handled.delete(handled.values().next().value);
      return answer;
    }),
  "standard-webhooks get_last | leaks | R-LEAK-DETAILS R-LEAK-NOTHING | GET shows the last event, which helped while writing it: anyone reads customers' data.":
    (receiver) => {
      const { event } = receiver;
      receiver.event = (attempt) => {
        receiver.last = attempt.bytes.toString();
        return event.call(receiver, attempt);
      };
      answerTo((self, next, request) =>
        request.method === "GET" ? { status: 200, body: self.last ?? "{}" } : next(request),
      )(receiver);
    },
  "standard-webhooks no_answer | HTTP | R-REFUSE-STATUS | The refusal returns without an answer: connections of strangers pile up, and the sender learns of a wrong secret by timeouts.":
    receive((_receiver, next, attempt) =>
      next(attempt).catch((error) => {
        if (error.status !== 401) throw error;
        return new Promise(() => undefined);
      }),
    ),
  "standard-webhooks normalized | bodies | R-VERIFY-RAW R-ACK-GENUINE | A filter normalizes all text before verification: an event with a name in decomposed letters is refused for ever.":
    verify((_receiver, next, attempt) =>
      next({ ...attempt, bytes: Buffer.from(attempt.bytes.toString().normalize("NFC")) }),
    ),
  "standard-webhooks late_200 | acknowledgement | R-ACK-HANGING R-ACK-AFTER-HANDLER | After 5 seconds the route answers 200, as if the work were done: an event that fails later is lost.":
    onFetch(async (receiver, attempt) => {
      const event = await receiver.verify(attempt);
      const late = sleep(5_000, receiver.success);
      const { status, headers } = await Promise.race([receiver.once(event), late]);
      return new Response(null, { status, headers });
    }),
});
