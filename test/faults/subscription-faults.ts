import { membersAt, parsed, type ProviderFaults, text, within } from "./edits.ts";
import {
  answers,
  answersWith,
  bearerOf,
  call,
  codeOf,
  ended,
  misreads,
  misspeaks,
  ofNobody,
  refusal,
  respoken,
  sends,
  SUBSCRIBE,
  UNSUBSCRIBE,
} from "./mistakes.ts";

/** Mistakes in subscribing and unsubscribing. */
export const subscriptionFaults: ProviderFaults = {
  "unsubscribe-ignored": {
    fails: "P-UNSUBSCRIBE-SUBTRACT",
    breaks: "S 4.4: unsubscribing is answered as done and changes nothing: events go on after it.",
    plant: call(
      () => async (one, next) =>
        one.path.startsWith(UNSUBSCRIBE) ? ended(await next(ofNobody(one)), one) : next(one),
    ),
  },
  "close-too-soon": {
    fails: "P-UNSUBSCRIBE-SUBTRACT",
    breaks: "S 4.4: unsubscribing from one of two categories ends both: events are lost.",
    plant: misreads(
      UNSUBSCRIBE,
      (members) => "subscriptionDetails" in members && { subscriptionDetails: { type: "ALL" } },
    ),
  },
  "unsubscribe-unknown-event": {
    fails: "P-SUBSCRIBE-UNKNOWN",
    breaks: "Unsubscribing from a misspelt event is a success, and the event goes on.",
    plant: answersWith(
      (answer, one) =>
        one.path.startsWith(UNSUBSCRIBE) && answer.status === 400 && ended(answer, one),
    ),
  },
  "isolation-unsubscribe": {
    fails: "P-UNSUBSCRIBE-NOT-FOUND",
    breaks: "Another merchant's subscription key is answered 200 instead of 404: it exists.",
    plant: answersWith(
      (answer, one) => codeOf(answer) === "SUBSCRIPTION_NOT_FOUND" && ended(answer, one),
    ),
  },
  "url-any": {
    fails: "P-SUBSCRIBE-URL",
    breaks: "Any text is taken as a url: the merchant waits for events that never come.",
    plant: misreads(SUBSCRIBE, () => ({ url: "http://127.0.0.1:9/" })),
  },
  "secret-short": {
    fails: "P-SUBSCRIBE-SECRET",
    breaks: "S 5.3: a weak secretKey is replaced without a word: attempts never verify.",
    plant: misreads(
      SUBSCRIBE,
      ({ secretKey = "" }) =>
        typeof secretKey === "string" &&
        secretKey.length < 24 && { secretKey: "a-secret-that-nobody-has-chosen-42" },
    ),
  },
  "selection-any": {
    fails: "P-SUBSCRIBE-DETAILS",
    breaks: "S 2.5: an invalid selection is taken as ALL: unwanted events arrive.",
    plant: misreads(SUBSCRIBE, () => ({ subscriptionDetails: { type: "ALL" } })),
  },
  "category-others": {
    fails: "P-SUBSCRIBE-SELECT",
    breaks: "S 2.5: a subscription to a category gets the events of others too.",
    plant: misreads(
      SUBSCRIBE,
      within(
        "subscriptionDetails",
        ({ type }) => type === "CATEGORY" && { details: ["PAYMENT", "CUSTOMER", "ACCOUNT"] },
      ),
    ),
  },
  "subscription-key-shared": {
    fails: "P-SUBSCRIBE-KEY",
    breaks: "S 4.3: all subscriptions have the first one's key: the others cannot be ended.",
    plant: call(() => {
      const first = new Map<string, unknown>();
      return answers((answer, one) => {
        const { subscriptionKey: key } = parsed(answer.body) ?? {};
        if (one.path !== SUBSCRIBE || key === undefined) return undefined;
        const merchant = bearerOf(one);
        if (!first.has(merchant)) first.set(merchant, key);
        return respoken(answer, () => ({ subscriptionKey: first.get(merchant) }));
      });
    }),
  },
  "all-with-details": {
    fails: "P-SUBSCRIBE-ALL-DETAILS",
    breaks: "S 2.5: a subscription to ALL with details, which are ignored there, is refused.",
    plant: misreads(SUBSCRIBE, (members) => {
      const selection = membersAt(members, "subscriptionDetails");
      const isDetailed = selection["type"] === "ALL" && "details" in selection;
      return isDetailed && { subscriptionDetails: { type: "NONE" } };
    }),
  },
  "closed-unknown": {
    fails: "P-UNSUBSCRIBE-CLOSED",
    breaks: "S 4.4: ending a closed subscription is answered 404: repeating looks like a mistake.",
    plant: call(() => {
      const closed = new Set<unknown>();
      return async (one, next) => {
        const { subscriptionId, subscriptionDetails } = parsed(one.body) ?? {};
        if (!one.path.startsWith(UNSUBSCRIBE)) return next(one);
        const answer = await next(closed.has(subscriptionId) ? ofNobody(one) : one);
        if (answer.status === 200 && JSON.stringify(subscriptionDetails) === '{"type":"ALL"}')
          closed.add(subscriptionId);
        return answer;
      };
    }),
  },
  "two-subscription-ids": {
    fails: "P-UNSUBSCRIBE-ID",
    breaks: "S 4.4: if body and query name two subscriptions, the body's ends without a word.",
    plant: sends((one) => ({ ...one, path: one.path.replace(/\?.*$/, "") })),
  },
  "unsubscribe-other-key": {
    fails: "P-UNSUBSCRIBE-KEY",
    breaks: "S 4.4: unsubscribing is answered with another key than the subscription's.",
    plant: misspeaks(
      UNSUBSCRIBE,
      text("subscriptionKey", (key) => `${key}x`),
    ),
  },
  "secret-in-error": {
    fails: "P-ANSWER-NO-SECRETS",
    breaks: "The error of a refused subscription has its secretKey, which then is in logs.",
    plant: answersWith((answer, one) => {
      const { secretKey } = parsed(one.body) ?? {};
      if (answer.status < 400 || typeof secretKey !== "string") return undefined;
      return respoken(answer, () => ({ detail: `the secretKey was ${secretKey}` }));
    }),
  },
  "secret-in-answer": {
    fails: "P-ANSWER-NO-SECRETS",
    breaks: "The answer to a subscription has its secretKey, which then is in clients' logs.",
    plant: answersWith((answer, one) => {
      const { secretKey } = parsed(one.body) ?? {};
      if (answer.status >= 300 || typeof secretKey !== "string") return undefined;
      return respoken(answer, () => ({ secretKey }));
    }),
  },
  "unsubscribe-foreign": {
    fails: "P-FOREIGN-404",
    breaks: "Another merchant's subscription is ended by whoever knows its key.",
    plant: call(() => {
      const merchants = new Set<string>();
      return answers((answer, one) => {
        if (one.path === SUBSCRIBE) merchants.add(bearerOf(one));
        const isForeign = one.path.startsWith(UNSUBSCRIBE) && !merchants.has(bearerOf(one));
        return isForeign && codeOf(answer) === "SUBSCRIPTION_NOT_FOUND" && ended(answer, one);
      });
    }),
  },
  "event-of-category-kept": {
    fails: "P-UNSUBSCRIBE-SUBTRACT",
    breaks: "S 4.4: taking one event out of a category is answered as done and changes nothing.",
    plant: call(() => {
      const ofCategory = new Set<unknown>();
      return async (one, next) => {
        const members = parsed(one.body);
        const { type } = membersAt(members, "subscriptionDetails");
        const isKept = type === "EVENT" && ofCategory.has(members?.["subscriptionId"]);
        if (isKept && one.path.startsWith(UNSUBSCRIBE))
          return ended(await next(ofNobody(one)), one);
        const answer = await next(one);
        if (type === "CATEGORY") ofCategory.add(parsed(answer.body)?.["subscriptionKey"]);
        return answer;
      };
    }),
  },
  "closed-counted": {
    fails: "P-SUBSCRIBE-LIMIT",
    breaks:
      "S 2.4: closed subscriptions count too: after ten a merchant can never subscribe again.",
    plant: call(() => {
      const made = new Map<string, number>();
      return answers((answer, one) => {
        if (one.path !== SUBSCRIBE || answer.status !== 200) return undefined;
        const count = (made.get(bearerOf(one)) ?? 0) + 1;
        made.set(bearerOf(one), count);
        return count > 10 && refusal(answer, 422, "SUBSCRIPTION_LIMIT_REACHED");
      });
    }),
  },
};
