import { request } from "node:https";
import { setTimeout } from "node:timers/promises";
import type { HttpAnswer, HttpCall } from "@countersign/contract-kit";
import { resolveProfile } from "@countersign/schemas/provider-of";
import { quick } from "../../packages/contract-kit/test/provider/open-target.ts";
import {
  type AttemptFault,
  type Change,
  instead,
  type Members,
  membersAt,
  parsed,
  type Plant,
  type ProviderFaults,
  text,
  textOf,
  within,
} from "./edits.ts";
import { amountAs, headerOf, SUBSCRIBE, withBody, withHeader } from "./mistakes.ts";

const DONE: HttpAnswer = { status: 204, headers: {}, body: new Uint8Array() };

const { provider } = resolveProfile(quick);
const { sending } = resolveProfile(quick);
/** The sandbox's profile with a longer timeout of attempts than the target's. */
const patient = { ...quick, provider: { ...provider, sending: { ...sending, timeoutMs: 60_000 } } };

const attempt = (make: () => AttemptFault) => (): Plant => ({ attempt: make() });

type Changed = (attempt: HttpCall) => HttpCall;

/** Sends other attempts than those that were due, signed. */
const resigned = (change: Changed) =>
  attempt(() => (one, next, sign) => {
    const changed = change(one);
    return next(changed.body === one.body && changed.headers === one.headers ? one : sign(changed));
  });

/** Sends other events than those that happened. */
const event = (change: Change) => resigned((one) => withBody(one, change));

/** Changes every attempt of an event but the first. */
const onRetry = (change: Changed) =>
  attempt(() => {
    const seen = new Set<string>();
    return (one, next, sign) => {
      const id = headerOf(one, "webhook-id");
      const changed = seen.has(id) ? change(one) : one;
      seen.add(id);
      return next(changed === one ? one : sign(changed));
    };
  });

/** Never sends events of a type. */
const withholds = (type: string) =>
  attempt(() => async (one, next) => (typeOf(one) === type ? DONE : next(one)));

/** Takes the receiver's answer for another one. */
const answered = (change: (status: number) => number) =>
  attempt(() => async (one, next) => {
    const answer = await next(one);
    return { ...answer, status: change(answer.status) };
  });

const subjectOf = (members: Members): string => {
  const { paymentId, id, customerId } = membersAt(members, "data");
  return String(paymentId ?? id ?? customerId);
};

const typeOf = ({ body }: HttpCall): unknown => parsed(body)?.["type"];

/** Mistakes in what is delivered, how it is signed, and what its answers mean. */
export const attemptFaults: ProviderFaults = {
  "event-id-second": {
    fails: "P-EVENT-ID-UNIQUE",
    breaks: "Standard Webhooks: the id is the second: receivers take events at once for one.",
    plant: resigned((one) => {
      // Of a minute, so that a busy machine changes nothing.
      const id = `evt_${Math.floor(Date.now() / 60_000)}`;
      return withHeader(
        withBody(one, () => ({ id })),
        "webhook-id",
        id,
      );
    }),
  },
  "event-refund-id": {
    fails: "P-EVENT-EACH-STATE",
    breaks: "S 6: refund events carry the id of the original payment instead of the refund's.",
    plant: () => {
      const originals = new Map<unknown, unknown>();
      const renamed = event(
        within("data", ({ paymentId: own }) => {
          const paymentId = originals.get(own);
          return paymentId !== undefined && { paymentId };
        }),
      );
      return {
        ...renamed(),
        call: async (one, next) => {
          const answer = await next(one);
          const id = parsed(answer.body)?.["paymentId"];
          if (answer.status === 201) originals.set(id, parsed(one.body)?.["paymentId"]);
          return answer;
        },
      };
    },
  },
  "event-failed-missing": {
    fails: "P-EVENT-EACH-STATE",
    breaks: "S 6.1: a refund that fails emits no refund.failed.",
    plant: withholds("refund.failed"),
  },
  "event-canceled-as-failed": {
    fails: "P-EVENT-CAUSED",
    breaks: "S 6: a canceled payment emits payment.failed instead of payment.canceled.",
    plant: event(instead("type", "payment.canceled", "payment.failed")),
  },
  "event-customer-stale": {
    fails: "P-EVENT-SCHEMA",
    breaks: "S 6: customer.activated and .deactivated carry the status before the move.",
    plant: event(
      (members) =>
        /^customer\.(?:de)?activated$/.test(String(members["type"])) &&
        within("data", () => ({ customerStatus: "CREATED" }))(members),
    ),
  },
  "event-amount-float": {
    fails: "P-EVENT-FACTS",
    breaks: "S 2.1: amounts in events are 32-bit floats: beyond 131,072.00 the cents are wrong.",
    plant: event(
      within(
        "data",
        amountAs((amount) => (amount === "" ? undefined : Math.fround(Number(amount)).toFixed(2))),
      ),
    ),
  },
  "event-settlement-date": {
    fails: "P-EVENT-TIMES",
    breaks: "S 2.2, N3: settlementDate of payment.succeeded is another time than the settlement's.",
    plant: event(
      within(
        "data",
        text("settlementDate", () => "2020-01-01T00:00:00.000Z"),
      ),
    ),
  },
  "event-unlisted": {
    fails: "P-EVENT-CATALOGUE",
    breaks: "S 6.1: an event has a name that is not in the catalogue, and no handler runs.",
    plant: event(instead("type", "account.linked", "account.joined")),
  },
  "sign-delivery-id": {
    fails: "P-EVENT-SIGNED",
    breaks: "Webhook-id is the delivery's id: two subscriptions of a merchant see two events.",
    plant: resigned((one) => withHeader(one, "webhook-id", `dlv_${headerOf(one, "webhook-id")}`)),
  },
  "sign-time-of-first": {
    fails: "P-EVENT-TIMESTAMP",
    breaks: "Standard Webhooks: retries keep the first timestamp: after 5 minutes all are refused.",
    plant: attempt(() => {
      const firsts = new Map<string, string>();
      return (one, next, sign) => {
        const id = headerOf(one, "webhook-id");
        const first = firsts.get(id) ?? headerOf(one, "webhook-timestamp");
        firsts.set(id, first);
        return next(sign(withHeader(one, "webhook-timestamp", first)));
      };
    }),
  },
  "sign-escaped-body": {
    fails: "P-EVENT-SIGNED",
    breaks: "Standard Webhooks: letters beyond ASCII are escaped after signing.",
    plant: attempt(() => (one, next) => {
      const body = textOf(one.body).replaceAll(
        /[\u0080-\uffff]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      return next({ ...one, body });
    }),
  },
  "sign-base64url": {
    fails: "P-EVENT-SIGNED",
    breaks: "Standard Webhooks: signatures are base64url: those with a + or / do not verify.",
    plant: attempt(() => (one, next) => {
      const own = headerOf(one, "webhook-signature").replaceAll("+", "-").replaceAll("/", "_");
      return next(withHeader(one, "webhook-signature", own));
    }),
  },
  "attempt-content-type": {
    fails: "P-EVENT-HEADERS",
    breaks: "Attempts come as text/plain, which JSON body parsers pass over.",
    plant: attempt(() => (one, next) => next(withHeader(one, "content-type", "text/plain"))),
  },
  "retry-after-early": {
    fails: "P-EVENT-RETRY-AFTER",
    breaks: "An answer with Retry-After is met by another attempt at once.",
    plant: attempt(() => async (one, next) => {
      const answer = await next(one);
      return "retry-after" in answer.headers ? next(one) : answer;
    }),
  },
  "retry-after-date": {
    fails: "P-EVENT-RETRY-AFTER",
    breaks: "A Retry-After with a date is passed over.",
    plant: attempt(() => async (one, next) => {
      const { headers, ...answer } = await next(one);
      const { "retry-after": after = "", ...others } = headers;
      return { ...answer, headers: /^\d+$/.test(after) ? headers : others };
    }),
  },
  "gone-ignored": {
    fails: "P-EVENT-GONE",
    breaks: "410 does not end the subscription's deliveries.",
    plant: answered((status) => (status === 410 ? 503 : status)),
  },
  "redirect-success": {
    fails: "P-EVENT-NO-REDIRECT",
    breaks: "A redirect counts as delivered, and the event is lost.",
    plant: answered((status) => (status >= 300 && status < 400 ? 204 : status)),
  },
  "client-error-final": {
    fails: "P-EVENT-SUCCESS",
    breaks: "A 4xx ends the attempts: a short misconfiguration of the receiver loses events.",
    plant: answered((status) => (status >= 400 && status < 500 && status !== 410 ? 204 : status)),
  },
  "no-connection-final": {
    fails: "P-EVENT-SUCCESS",
    breaks: "An attempt whose connection fails is not repeated: a restart loses events.",
    plant: attempt(() => async (one, next) => next(one).catch(() => DONE)),
  },
  "timeout-final": {
    fails: "P-EVENT-TIMEOUT",
    breaks: "An attempt without an answer in time is not repeated: events of a slow hour are lost.",
    plant: attempt(
      () => (one, next) => Promise.race([next(one), setTimeout(4000, DONE, { ref: false })]),
    ),
  },
  "sign-secret-of-url": {
    fails: "P-EVENT-ROTATION",
    breaks: "Standard Webhooks: secrets are kept by URL: a second subscription has the first's.",
    plant: attempt(() => {
      const firsts = new Map<string, string>();
      return (one, next, sign, secretKey) => {
        const first = firsts.get(one.path) ?? secretKey;
        firsts.set(one.path, first);
        return next(sign(one, first));
      };
    }),
  },
  "sign-long-secret": {
    fails: "P-EVENT-SIGNED",
    breaks: "S 5.3: secrets are cut to 64 characters: attempts with a longer one do not verify.",
    plant: attempt(() => (one, next, sign, secretKey) => next(sign(one, secretKey.slice(0, 64)))),
  },
  "retry-printed-again": {
    fails: "P-EVENT-ID-KEPT",
    breaks: "S 6.6: a retry has other bytes: receivers take it for another event.",
    plant: onRetry((one) => ({ ...one, body: `${textOf(one.body)} ` })),
  },
  "gone-renamed": {
    fails: "P-EVENT-GONE",
    breaks: "After 410 an event is sent again under another id.",
    plant: attempt(() => {
      const gone = new Set<string>();
      return async (one, next, sign) => {
        const own = headerOf(one, "webhook-id");
        const id = `again_${own}`;
        const again = sign(
          withHeader(
            withBody(one, () => ({ id })),
            "webhook-id",
            id,
          ),
        );
        const answer = await next(gone.has(own) ? again : one);
        if (answer.status !== 410) return answer;
        gone.add(own);
        return { ...answer, status: 503 };
      };
    }),
  },
  "event-type-forgotten": {
    fails: "P-EVENT-ARRIVES",
    breaks: "S 6.1: no event of one type is ever sent.",
    plant: withholds("account.deactivated"),
  },
  "gone-closes-all": {
    fails: "P-EVENT-GONE-ALONE",
    breaks: "410 of one receiver ends the deliveries to all the merchant's receivers.",
    plant: attempt(() => {
      let isGone = false;
      return async (one, next) => {
        if (isGone) return DONE;
        const answer = await next(one);
        isGone ||= answer.status === 410;
        return answer;
      };
    }),
  },
  "attempt-debug-header": {
    fails: "P-EVENT-NO-SECRETS",
    breaks: "A header for debugging carries the secret of the subscription.",
    plant: attempt(
      () => (one, next, _sign, secretKey) => next(withHeader(one, "x-debug", `key=${secretKey}`)),
    ),
  },
  "attempt-url-decoded": {
    fails: "P-EVENT-HEADER-INJECTION",
    breaks: "The url of a subscription is decoded and written into the request's head.",
    plant: attempt(() => (one, next) => {
      const [, name = "", value = ""] = /%0d%0a([\w-]+):%20([^%]*)/.exec(one.path) ?? [];
      return next(name === "" ? one : withHeader(one, name, value));
    }),
  },
  "certificate-unverified": {
    fails: "P-EVENT-TLS",
    breaks: "Events are sent to an https server whatever certificate it has.",
    plant: () => ({
      call: async (one, next) => {
        const { url } = parsed(one.body) ?? {};
        if (typeof url === "string" && url.startsWith("https:"))
          request(url, { method: "POST", rejectUnauthorized: false }).end("{}");
        return next(one);
      },
    }),
  },
  "retry-of-changed-state": {
    fails: "P-EVENT-ID-KEPT",
    breaks: "S 6.6: a retry is written anew from the refund, which has failed meanwhile.",
    plant: onRetry((one) =>
      typeOf(one) === "refund.pending"
        ? withBody(
            one,
            within("data", () => ({ paymentStatus: "TERMINAL_FAILED" })),
          )
        : one,
    ),
  },
  "timeout-of-a-minute": {
    fails: "P-EVENT-TIMEOUT",
    breaks: "An attempt may take a minute: a silent receiver holds its slot for so long.",
    plant: () => ({ service: { profile: patient } }),
  },
  "event-reference-lost": {
    fails: "P-EVENT-FACTS",
    breaks: "S 2.2: refund.authorized has lost the merchant's reference: nobody can book it.",
    plant: event(
      (members) =>
        members["type"] === "refund.authorized" &&
        within("data", () => ({ clientReferenceId: null }))(members),
    ),
  },
  "event-time-of-first": {
    fails: "P-EVENT-TIMES",
    breaks: "S 6.5: all events of a resource have the time of its first: they cannot be ordered.",
    plant: () => {
      const times = new Map<string, unknown>();
      return event((members) => {
        const { timestamp } = members;
        const first = times.get(subjectOf(members)) ?? timestamp;
        times.set(subjectOf(members), first);
        return first !== timestamp && { timestamp: first };
      })();
    },
  },
  "event-id-of-resource": {
    fails: "P-EVENT-EACH-STATE",
    breaks: "S 6.5: the id is made of the resource's: receivers drop its second event as known.",
    plant: resigned((one) => {
      const id = `evt_${subjectOf(parsed(one.body) ?? {})}`;
      return withHeader(
        withBody(one, () => ({ id })),
        "webhook-id",
        id,
      );
    }),
  },
  "event-to-last-subscription": {
    fails: "P-SUBSCRIBE-SELECT",
    breaks: "S 6.1: events also go to the last subscription made, whoever's it is.",
    plant: () => {
      let last: Members | undefined;
      return {
        call: (one, next) => {
          if (one.path === SUBSCRIBE) last = parsed(one.body);
          return next(one);
        },
        attempt: async (one, next, sign) => {
          const path = String(last?.["url"]).replace(/^http:\/\/[^/]*/, "");
          if (path !== one.path) await next(sign({ ...one, path }, String(last?.["secretKey"])));
          return next(one);
        },
      };
    },
  },
  "sign-latin-1": {
    fails: "P-EVENT-SIGNED",
    breaks: "S 5.3: the body is signed in Latin-1: events with other letters do not verify.",
    plant: attempt(() => (one, next, sign) => {
      const { headers } = sign({ ...one, body: Buffer.from(textOf(one.body), "latin1") });
      return next({ ...one, headers });
    }),
  },
};
