import type { Exchange } from "../curl-lines.ts";
import type { ProviderTarget } from "../target.ts";

const SUBSCRIBED = "/v1/webhook/subscribe";

/**
 * Closes what a scenario has subscribed, where it shared a merchant with others: a merchant has a few
 * subscriptions, and each goes on to be delivered to.
 */
export async function closeSubscriptions(
  target: ProviderTarget,
  exchanges: readonly Exchange[],
): Promise<void> {
  const calls = exchanges.flatMap(({ call, answer }) => {
    const key = /"subscriptionKey":"([^"]+)"/.exec(Buffer.from(answer?.body ?? "").toString())?.[1];
    const { authorization } = call.headers;
    return call.path !== SUBSCRIBED || key === undefined || authorization === undefined
      ? []
      : [{ key, authorization }];
  });
  for (const { key, authorization } of calls) {
    const { idIn } = target.profile.subscription;
    const details = { subscriptionDetails: { type: "ALL" } };
    const place = { body: "", path: `/${key}`, query: `?subscriptionId=${key}` }[idIn];
    const call = {
      method: "PUT",
      path: `/v1/webhook/unsubscribe${place}`,
      headers: { authorization, accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify(idIn === "body" ? { subscriptionId: key, ...details } : details),
    };
    // What is closed already, or cannot be, is no finding of this scenario.
    // oxlint-disable-next-line no-await-in-loop -- one at a time, as a client would
    await target.send(call).catch(() => undefined);
  }
}
