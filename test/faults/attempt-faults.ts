import { request } from "node:https";
import { setTimeout } from "node:timers/promises";
import type { HttpAnswer, HttpCall } from "@countersign/contract-kit";
import { resolveProfile } from "@countersign/schemas/provider-of";
import { quick } from "../../packages/contract-kit/test/provider/open-target.ts";
import {
  type AttemptFault,
  edited,
  isMembers,
  type Members,
  membersAt,
  numberText,
  parsed,
  type Plant,
  type ProviderFault,
  textOf,
} from "./edits.ts";
import { headerOf, withHeader } from "./mistakes.ts";

const DONE: HttpAnswer = { status: 204, headers: {}, body: new Uint8Array() };

const { provider } = resolveProfile(quick);
const { sending } = resolveProfile(quick);
/** The sandbox's profile with a longer timeout of attempts than the target's. */
const patient = { ...quick, provider: { ...provider, sending: { ...sending, timeoutMs: 60_000 } } };

const attempt = (make: () => AttemptFault) => (): Plant => ({ attempt: make() });

/** Sends other events than those that happened, signed. */
const event = (change: (members: Members) => Members | undefined) =>
  attempt(() => (one, next, sign) => {
    const { body = "" } = one;
    const changed = edited(body, change);
    return next(changed === body ? one : sign({ ...one, body: changed }));
  });

/** Takes the receiver's answer for another one. */
const answered = (change: (status: number) => number) =>
  attempt(() => async (one, next) => {
    const answer = await next(one);
    return { ...answer, status: change(answer.status) };
  });

const asMembers = (value: unknown): Members => (isMembers(value) ? value : {});

const typeOf = ({ body }: HttpCall): unknown => parsed(body)?.["type"];

/** Mistakes in what is delivered, how it is signed, and what its answers mean. */
export const attemptFaults: readonly ProviderFault[] = [
  {
    id: "event-id-second",
    fails: "P-EVENT-ID-UNIQUE",
    breaks:
      "Standard Webhooks: the id is made of the second, so that receivers take events at once for one.",
    plant: attempt(() => (one, next, sign) => {
      // Of a minute, so that a busy machine changes nothing.
      const id = `evt_${Math.floor(Date.now() / 60_000)}`;
      const body = edited(one.body ?? "", (members) => ({ ...members, id }));
      return next(sign({ ...withHeader(one, "webhook-id", id), body }));
    }),
  },
  {
    id: "event-refund-id",
    fails: "P-EVENT-EACH-STATE",
    breaks: "S 6: refund events carry the id of the original payment instead of the refund's.",
    plant: () => {
      const originals = new Map<unknown, unknown>();
      const renamed = event(({ data, ...members }) => {
        const paymentId = originals.get(asMembers(data)["paymentId"]);
        return paymentId === undefined
          ? undefined
          : { ...members, data: { ...asMembers(data), paymentId } };
      });
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
  {
    id: "event-failed-missing",
    fails: "P-EVENT-EACH-STATE",
    breaks: "S 6.1: a refund that fails emits no refund.failed.",
    plant: attempt(() => async (one, next) => (typeOf(one) === "refund.failed" ? DONE : next(one))),
  },
  {
    id: "event-canceled-as-failed",
    fails: "P-EVENT-CAUSED",
    breaks: "S 6: a canceled payment emits payment.failed instead of payment.canceled.",
    plant: event((members) =>
      members["type"] === "payment.canceled" ? { ...members, type: "payment.failed" } : undefined,
    ),
  },
  {
    id: "event-customer-stale",
    fails: "P-EVENT-SCHEMA",
    breaks: "S 6: customer.activated and .deactivated carry the status before the move.",
    plant: event(({ data, ...members }) =>
      /^customer\.(?:de)?activated$/.test(String(members["type"]))
        ? { ...members, data: { ...asMembers(data), customerStatus: "CREATED" } }
        : undefined,
    ),
  },
  {
    id: "event-amount-float",
    fails: "P-EVENT-FACTS",
    breaks:
      "S 2.1: amounts in events pass through a 32-bit float: beyond 131,072.00 the cents are wrong.",
    plant: event(({ data, ...members }) => {
      const amount = membersAt(asMembers(data), "amount");
      const text = numberText(amount["value"]);
      if (text === undefined) return undefined;
      const value = JSON.rawJSON(Math.fround(Number(text)).toFixed(2));
      return { ...members, data: { ...asMembers(data), amount: { ...amount, value } } };
    }),
  },
  {
    id: "event-settlement-date",
    fails: "P-EVENT-TIMES",
    breaks: "S 2.2, N3: settlementDate of payment.succeeded is another time than the settlement's.",
    plant: event(({ data, ...members }) =>
      "settlementDate" in asMembers(data)
        ? { ...members, data: { ...asMembers(data), settlementDate: "2020-01-01T00:00:00.000Z" } }
        : undefined,
    ),
  },
  {
    id: "event-unlisted",
    fails: "P-EVENT-CATALOGUE",
    breaks:
      "S 6.1: an event is sent under a name that the catalogue does not have, and no handler runs.",
    plant: event((members) =>
      members["type"] === "account.linked" ? { ...members, type: "account.joined" } : undefined,
    ),
  },
  {
    id: "sign-delivery-id",
    fails: "P-EVENT-SIGNED",
    breaks:
      "Webhook-id is the delivery's id, not the event's: two subscriptions of one merchant see two events, and it differs from the body.",
    plant: attempt(
      () => (one, next, sign) =>
        next(sign(withHeader(one, "webhook-id", `dlv_${headerOf(one, "webhook-id")}`))),
    ),
  },
  {
    id: "sign-time-of-first",
    fails: "P-EVENT-TIMESTAMP",
    breaks:
      "Standard Webhooks: every retry has the timestamp of the first attempt, so that receivers refuse retries after five minutes.",
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
  {
    id: "sign-escaped-body",
    fails: "P-EVENT-SIGNED",
    breaks:
      "Standard Webhooks: the body is written again after signing, with letters beyond ASCII escaped, so that such events do not verify.",
    plant: attempt(() => (one, next) => {
      const body = textOf(one.body).replaceAll(
        /[\u0080-\uffff]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      return next({ ...one, body });
    }),
  },
  {
    id: "sign-base64url",
    fails: "P-EVENT-SIGNED",
    breaks:
      "Standard Webhooks: signatures are base64url, so that those with a + or / do not verify.",
    plant: attempt(
      () => (one, next) =>
        next(
          withHeader(
            one,
            "webhook-signature",
            headerOf(one, "webhook-signature").replaceAll("+", "-").replaceAll("/", "_"),
          ),
        ),
    ),
  },
  {
    id: "attempt-content-type",
    fails: "P-EVENT-HEADERS",
    breaks: "Attempts come as text/plain, which JSON body parsers pass over.",
    plant: attempt(() => (one, next) => next(withHeader(one, "content-type", "text/plain"))),
  },
  {
    id: "retry-after-early",
    fails: "P-EVENT-RETRY-AFTER",
    breaks: "An answer with Retry-After is met by another attempt at once.",
    plant: attempt(() => async (one, next) => {
      const answer = await next(one);
      return "retry-after" in answer.headers ? next(one) : answer;
    }),
  },
  {
    id: "retry-after-date",
    fails: "P-EVENT-RETRY-AFTER",
    breaks: "A Retry-After with a date is passed over.",
    plant: attempt(() => async (one, next) => {
      const { headers, ...answer } = await next(one);
      const { "retry-after": after = "", ...others } = headers;
      return { ...answer, headers: /^\d+$/.test(after) ? headers : others };
    }),
  },
  {
    id: "gone-ignored",
    fails: "P-EVENT-GONE",
    breaks: "410 does not end the subscription's deliveries.",
    plant: answered((status) => (status === 410 ? 503 : status)),
  },
  {
    id: "redirect-success",
    fails: "P-EVENT-NO-REDIRECT",
    breaks: "A redirect counts as delivered, and the event is lost.",
    plant: answered((status) => (status >= 300 && status < 400 ? 204 : status)),
  },
  {
    id: "client-error-final",
    fails: "P-EVENT-SUCCESS",
    breaks:
      "A 4xx ends the attempts at once, so that a short misconfiguration of the receiver loses events.",
    plant: answered((status) => (status >= 400 && status < 500 && status !== 410 ? 204 : status)),
  },
  {
    id: "no-connection-final",
    fails: "P-EVENT-SUCCESS",
    breaks:
      "An attempt whose connection fails is not repeated: events of a receiver's restart are lost.",
    plant: attempt(() => async (one, next) => next(one).catch(() => DONE)),
  },
  {
    id: "timeout-final",
    fails: "P-EVENT-TIMEOUT",
    breaks: "An attempt without an answer in time is not repeated: events of a slow hour are lost.",
    plant: attempt(
      () => (one, next) => Promise.race([next(one), setTimeout(4000, DONE, { ref: false })]),
    ),
  },
  {
    id: "sign-secret-of-url",
    fails: "P-EVENT-ROTATION",
    breaks:
      "Standard Webhooks: secrets are remembered by URL, so that a second subscription of a URL is signed with the first one's secret.",
    plant: attempt(() => {
      const firsts = new Map<string, string>();
      return (one, next, sign, secretKey) => {
        const first = firsts.get(one.path) ?? secretKey;
        firsts.set(one.path, first);
        return next(sign(one, first));
      };
    }),
  },
  {
    id: "sign-long-secret",
    fails: "P-EVENT-SIGNED",
    breaks:
      "S 5.3: secrets are cut to 64 characters, so that attempts signed with a longer one do not verify.",
    plant: attempt(() => (one, next, sign, secretKey) => next(sign(one, secretKey.slice(0, 64)))),
  },
  {
    id: "retry-printed-again",
    fails: "P-EVENT-ID-KEPT",
    breaks:
      "S 6.6: a retry has another body than the first attempt: receivers that compare bytes take it for another event.",
    plant: attempt(() => {
      const seen = new Set<string>();
      return (one, next, sign) => {
        const id = headerOf(one, "webhook-id");
        if (!seen.has(id)) return next((seen.add(id), one));
        return next(sign({ ...one, body: `${textOf(one.body)} ` }));
      };
    }),
  },
  {
    id: "gone-renamed",
    fails: "P-EVENT-GONE",
    breaks: "After 410 an event is sent again under another id.",
    plant: attempt(() => {
      const gone = new Set<string>();
      return async (one, next, sign) => {
        const id = headerOf(one, "webhook-id");
        const body = edited(one.body ?? "", (members) => ({ ...members, id: `again_${id}` }));
        const again = sign({ ...withHeader(one, "webhook-id", `again_${id}`), body });
        const answer = await next(gone.has(id) ? again : one);
        if (answer.status !== 410) return answer;
        gone.add(id);
        return { ...answer, status: 503 };
      };
    }),
  },
  {
    id: "event-type-forgotten",
    fails: "P-EVENT-ARRIVES",
    breaks: "S 6.1: no event of one type is ever sent.",
    plant: attempt(
      () => async (one, next) => (typeOf(one) === "account.deactivated" ? DONE : next(one)),
    ),
  },
  {
    id: "gone-closes-all",
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
  {
    id: "attempt-debug-header",
    fails: "P-EVENT-NO-SECRETS",
    breaks: "A header for debugging carries the secret of the subscription.",
    plant: attempt(
      () => (one, next, _sign, secretKey) => next(withHeader(one, "x-debug", `key=${secretKey}`)),
    ),
  },
  {
    id: "attempt-url-decoded",
    fails: "P-EVENT-HEADER-INJECTION",
    breaks: "The url of a subscription is decoded and written into the request's head.",
    plant: attempt(() => (one, next) => {
      const [, name = "", value = ""] = /%0d%0a([\w-]+):%20([^%]*)/.exec(one.path) ?? [];
      return next(name === "" ? one : withHeader(one, name, value));
    }),
  },
  {
    id: "certificate-unverified",
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
  {
    id: "retry-of-changed-state",
    fails: "P-EVENT-ID-KEPT",
    breaks: "S 6.6: a retry is written anew from the refund, which has failed meanwhile.",
    plant: attempt(() => {
      const seen = new Set<string>();
      return (one, next, sign) => {
        const id = headerOf(one, "webhook-id");
        if (typeOf(one) !== "refund.pending" || !seen.has(id)) return next((seen.add(id), one));
        const body = edited(one.body ?? "", ({ data, ...members }) => ({
          ...members,
          data: { ...asMembers(data), paymentStatus: "TERMINAL_FAILED" },
        }));
        return next(sign({ ...one, body }));
      };
    }),
  },
  {
    id: "timeout-of-a-minute",
    fails: "P-EVENT-TIMEOUT",
    breaks: "An attempt may take a minute: a silent receiver holds its slot for so long.",
    plant: () => ({ service: { profile: patient } }),
  },
];
