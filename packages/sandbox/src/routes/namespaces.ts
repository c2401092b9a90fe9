import {
  createMerchant,
  createToken,
  optional,
  text,
  writtenTime,
  type Call,
  type Merchant,
  type NamespaceClocks,
  type Queryable,
  type Routes,
} from "@countersign/service/internal";
import type { Faults } from "../faults.ts";
import { refuse } from "../refusals.ts";
import { duration, lastInstant, time } from "../times.ts";
import { get, nowOf, post, put, refuseMember } from "./call.ts";

export interface NamespaceParts {
  readonly clocks: NamespaceClocks;
  readonly faults: Faults;
  /** Called when a namespace has been emptied. */
  readonly onReset: (merchantId: string) => void;
}

export const namespaceRoutes = ({ clocks, faults, onReset }: NamespaceParts): Routes => ({
  "/sandbox/merchants": [
    // The namespace's own.
    get(async (call) => {
      const now = writtenTime(await nowOf(call));
      return { merchants: [{ merchantId: call.merchant.id, now }] };
    }),
    // Another namespace; its token and its client's secret are shown only here.
    post(201, { name: optional(text(100)), now: optional(time) }, async ({ context }, order) => {
      const { name = "Merchant", now: instant = context.clock.now() } = order;
      const scopes = Object.values(context.policy.token.scopes);
      const made = await createMerchant(context, { name, clock: { instant }, scopes });
      // Ids and secrets are new, so that none can be taken.
      if (!made.ok) throw new Error(made.code);
      const { merchant, clientId, clientSecret } = made;
      const merchantId = merchant.id;
      const token = { merchantId, clientId: null, scopes, lifetimeSeconds: null };
      const accessToken = await createToken(context, token);
      return { merchantId, name, accessToken, clientId, clientSecret, now: writtenTime(instant) };
    }),
  ],
  "/sandbox/clock": [
    get(async (call) => ({ now: writtenTime(await nowOf(call)) })),
    // Answers when everything that became due is done, including attempts.
    put({ now: optional(time), advance: optional(duration) }, async (call, order) => {
      if ((order.now === undefined) === (order.advance === undefined)) {
        throw refuseMember("/now", "one of now and advance is required, not both");
      }
      const to = (now: number): number => order.now ?? now + (order.advance ?? 0);
      const { now, instants } = await moveTo({ ...call, clocks }, to);
      return { now: writtenTime(now), instants: instants.map(writtenTime) };
    }),
  ],
  "/sandbox/reset": [
    // Empties the namespace, its faults included, and sets its clock to `now` or real time.
    post(200, { now: optional(time) }, async ({ context, merchant }, order) => {
      const instant = order.now ?? context.clock.now();
      await clocks.betweenMoves(merchant.clockId, () =>
        context.driver.transaction((tx) => emptyNamespace(tx, merchant, instant)),
      );
      faults.set(merchant.id, []);
      onReset(merchant.id);
      return { now: writtenTime(instant) };
    }),
  ],
});

/** Moves a namespace's clock forward, and does everything that becomes due. */
export async function moveTo(
  {
    context,
    clocks,
    merchant,
  }: Pick<Call, "context" | "merchant"> & Pick<NamespaceParts, "clocks">,
  target: (now: number) => number,
): Promise<{ readonly now: number; readonly instants: readonly number[] }> {
  const outcome = await clocks.advance(merchant.clockId, (now) => {
    const to = target(now);
    if (to > lastInstant(context.policy)) throw refuse("CLOCK_OUT_OF_RANGE");
    return to;
  });
  if (outcome.ok) return outcome;
  throw refuse(outcome.code === "ENGINE_STOPPED" ? "SERVICE_UNAVAILABLE" : outcome.code);
}

/** Rows before those that they refer to; of payments the refunds before the debits. */
const EVENTS = [
  "earlier_attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE merchant_id = $1)",
  "deliveries WHERE merchant_id = $1",
  "events WHERE merchant_id = $1",
];
const DELETIONS = [
  ...EVENTS,
  "endpoint_leases WHERE subscription_key IN (SELECT key FROM subscriptions WHERE merchant_id = $1)",
  "subscriptions WHERE merchant_id = $1",
  "payments WHERE merchant_id = $1 AND direction = 'CREDIT'",
  "payments WHERE merchant_id = $1",
  "accounts WHERE merchant_id = $1",
  "customers WHERE merchant_id = $1",
];

/**
 * Deletes everything of a namespace except the merchant, its clients and its tokens, and sets its clock. Only
 * here can a clock go back: no record has a later time.
 *
 * @param instant In milliseconds.
 */
export async function emptyNamespace(
  tx: Queryable,
  merchant: Merchant,
  instant: number,
): Promise<void> {
  await deleteRows(tx, merchant, DELETIONS);
  await tx.query("UPDATE clocks SET instant = $2 WHERE id = $1 AND id <> 'live'", [
    merchant.clockId,
    instant,
  ]);
}

/** Deletes a namespace's events with their deliveries, and nothing else. */
export async function deleteEvents(tx: Queryable, merchant: Merchant): Promise<void> {
  await deleteRows(tx, merchant, EVENTS);
}

async function deleteRows(tx: Queryable, { id }: Merchant, all: readonly string[]): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- in the order of the list, in one transaction
  for (const rows of all) await tx.query(`DELETE FROM ${rows}`, [id]);
}
