import type { ProviderCheck } from "../../check.ts";
import { shown } from "./refunds.ts";
import { playOnce } from "../../harness/scenario.ts";
import { openBeside, type Reading, type Session } from "../../harness/session.ts";
import { ALL, askUnsubscribe, requireAddress } from "./subscription-calls.ts";
import { must } from "../../harness/violation.ts";

const UNKNOWN_EVENT = "P-SUBSCRIBE-UNKNOWN";
const ALL_DETAILS = "P-SUBSCRIBE-ALL-DETAILS";
const ABSENT = "P-UNSUBSCRIBE-NOT-FOUND";
const CLOSED = "P-UNSUBSCRIBE-CLOSED";
const CONFLICT = "P-UNSUBSCRIBE-ID";
const KEY = "P-UNSUBSCRIBE-KEY";
const requirements = [UNKNOWN_EVENT, ALL_DETAILS, ABSENT, CLOSED, CONFLICT, KEY, "P-ANSWER-SCHEMA"];

/** Subscriptions that are not there, closed, or named in two ways. */
export const unsubscribing: ProviderCheck = {
  id: "provider/unsubscribing",
  title: "a subscription is found by its key alone, closes when nothing is left, and is named once",
  role: "provider",
  requirements,
  run: (target, context) => playOnce({ requirements, needs: [], play }, target, context),
};

async function play(session: Session): Promise<void> {
  const { profile } = session.target;
  const { statuses, subscription } = profile;
  const url = session.callbackUrl();
  const subscribe = (subscriptionDetails: object): Promise<Reading> => {
    const secretKey = `${session.key("secret")}-of-the-kit`;
    const json = { url, secretKey, subscriptionDetails };
    return session.call("POST", "/v1/webhook/subscribe", { json });
  };
  const made = await subscribe(ALL);
  requireAddress(made, url);
  must(ALL_DETAILS, made.status === statuses.subscribed, () => {
    return `ALL without details: ${statuses.subscribed} expected, ${shown(made)} came`;
  });
  const unknown = await subscribe({ type: "EVENT", details: ["no.such.event"] });
  must(
    UNKNOWN_EVENT,
    unknown.status === 400,
    () => `no.such.event: 400 expected, ${shown(unknown)} came`,
  );
  const [named] = profile.catalogue;
  const detailed = await subscribe({ ...ALL, details: [named?.type ?? ""] });
  const wanted = subscription.allWithDetails === "ignore" ? statuses.subscribed : 400;
  must(
    ALL_DETAILS,
    detailed.status === wanted,
    () => `ALL with details: ${wanted} expected, ${shown(detailed)} came`,
  );

  const key = String(made.body["subscriptionKey"]);
  const other = await openBeside(session);
  for (const [asker, id] of [
    [session, "sub_that_is_not_there"],
    [other, key],
  ] as const) {
    if (asker === undefined) continue;
    const answer = await askUnsubscribe(asker, { key: id });
    must(
      ABSENT,
      answer.status === 404,
      () => `a key of nobody's or another's: 404 expected, ${shown(answer)} came`,
    );
  }
  const conflict = await session.call("PUT", "/v1/webhook/unsubscribe?subscriptionId=sub_other", {
    json: { subscriptionId: key, subscriptionDetails: ALL },
  });
  must(
    CONFLICT,
    conflict.status === 400,
    () => `two keys in one call: 400 expected, ${shown(conflict)} came`,
  );

  const closing = await askUnsubscribe(session, { key });
  must(KEY, closing.status === 200 && closing.body["subscriptionKey"] === key, () => {
    return `200 with the key ${key} expected, ${shown(closing)} ${closing.text} came`;
  });
  const again = await askUnsubscribe(session, { key });
  const status = { ok: 200, "not-found": 404, gone: 410 }[subscription.closed];
  must(
    CLOSED,
    again.status === status,
    () => `a closed subscription: ${status} expected, ${shown(again)} came`,
  );
}
