import { eligibleAt } from "@countersign/rules";
import type { NamespaceClocks } from "../../delivery/namespace-clocks.ts";
import type { Routes } from "../../http/app.ts";
import { flag, optional, text } from "../../http/readers.ts";
import type { Call } from "../../http/route.ts";
import { emptyNamespace, instantOf } from "../../store/tables/clocks.ts";
import { findNextDue } from "../../store/tables/explorer.ts";
import { createMerchant, type CreatedMerchant } from "../../use-cases/merchants.ts";
import { writtenTime } from "../../use-cases/resources.ts";
import { createToken } from "../../use-cases/tokens.ts";
import type { Parts } from "../parts.ts";
import { refuse } from "../refusals.ts";
import { sowRecords, subscribeAll } from "../seed.ts";
import { duration, LAST_INSTANT, time } from "../times.ts";
import { get, post, put, refuseMember } from "./call.ts";

export const namespaceRoutes = (parts: Parts): Routes => ({
  "/sandbox/merchants": [
    // Another namespace; its token and its client's secret are shown only here.
    post(201, { name: optional(text(100)), now: optional(time) }, async ({ context }, order) => {
      const { name = "Merchant", now = context.clock.now() } = order;
      const { merchant, ...credentials } = await createNamespace(context, { name, now });
      return { merchantId: merchant.id, name, ...credentials, now: writtenTime(now) };
    }),
  ],
  "/sandbox/clock": [
    // With what is due next by it, and when a payment that settled now could be refunded at once.
    get(async ({ context: { driver, clock, policy }, merchant }) => {
      const now = await instantOf(driver, clock, merchant.clockId);
      const due = await findNextDue(driver, merchant.id);
      const holdEnds = eligibleAt(now, { ...policy.hold, cutoff: "00:00" });
      const next = due === undefined ? null : { ...due, at: writtenTime(due.at) };
      return { now: writtenTime(now), next, holdEnds: writtenTime(holdEnds) };
    }),
    // Answers when everything that became due is done, including attempts.
    put({ now: optional(time), advance: optional(duration) }, async (call, order) => {
      if ((order.now === undefined) === (order.advance === undefined)) {
        throw refuseMember("/now", "one of now and advance is required, not both");
      }
      const to = (now: number): number => order.now ?? now + (order.advance ?? 0);
      const { now, instants } = await moveTo({ ...call, clocks: parts.clocks }, to);
      return { now: writtenTime(now), instants: instants.map(writtenTime) };
    }),
  ],
  "/sandbox/reset": [
    // Empties the namespace, its faults included, and sets its clock to `now` or real time. With `samples`, as after the
    // first start: with sample data and the subscription of the command line.
    post(200, { now: optional(time), samples: optional(flag) }, async (call, order) => {
      const { context, merchant } = call;
      const { now = context.clock.now(), samples = false } = order;
      await parts.clocks.betweenMoves(merchant.clockId, async () => {
        await context.driver.transaction((tx) => emptyNamespace(tx, merchant, now));
        parts.faults.set(merchant.id, []);
        if (!samples) return;
        await sowRecords({ context, merchant });
        if (parts.target === undefined) return;
        await subscribeAll({ context, vault: parts.vault }, merchant, parts.target);
      });
      parts.streams.news(merchant.id);
      return { now: writtenTime(now) };
    }),
  ],
});

/** Creates a merchant with its clock, a client and a token for all calls. @param order `now`: default real time. */
export async function createNamespace(
  context: Call["context"],
  { name, now = context.clock.now() }: { readonly name: string; readonly now: number | undefined },
): Promise<CreatedMerchant & { readonly accessToken: string }> {
  const scopes = Object.values(context.policy.token.scopes);
  const created = await createMerchant(context, { name, instant: now, scopes });
  const { id: merchantId } = created.merchant;
  const token = { merchantId, clientId: null, scopes, lifetimeSeconds: null };
  return { ...created, accessToken: await createToken(context, token) };
}

/** Moves a namespace's clock forward, and does everything that becomes due. */
export async function moveTo(
  { clocks, merchant }: Pick<Call, "merchant"> & { readonly clocks: NamespaceClocks },
  target: (now: number) => number,
): Promise<{ readonly now: number; readonly instants: readonly number[] }> {
  const outcome = await clocks.advance(merchant.clockId, (now) => {
    const to = target(now);
    if (to > LAST_INSTANT) throw refuse("CLOCK_OUT_OF_RANGE");
    return to;
  });
  if (outcome.ok) return outcome;
  throw refuse(outcome.code === "ENGINE_STOPPED" ? "SERVICE_UNAVAILABLE" : outcome.code);
}
