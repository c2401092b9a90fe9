import { valueAt } from "@countersign/schemas";
import { validateEvent } from "@countersign/schemas/writers";
import { replayDeliveries } from "../../delivery/operator.ts";
import type { Routes } from "../../http/app.ts";
import { isObject } from "../../http/body.ts";
import { text } from "../../http/readers.ts";
import type { Call } from "../../http/route.ts";
import { listAttempts, type AttemptRow, type EventRecord } from "../../store/tables/deliveries.ts";
import {
  countEventRows,
  countEvents,
  findEventRows,
  listEventRows,
  listResendable,
  searchRecords,
  type EventRow,
} from "../../store/tables/explorer.ts";
import { writtenTime } from "../../use-cases/resources.ts";
import { diagnose } from "../diagnosis.ts";
import type { Parts } from "../parts.ts";
import { refuse } from "../refusals.ts";
import { get, listed, parameter, post, queryOf } from "../routes/call.ts";
import { shownAttempt, shownEvent, subjectOf, timeOrNull } from "../shown.ts";
import { sentRequest } from "./signatures.ts";

/** Maximum number of deliveries that one call resends. */
const MAX_RESENT = 1000;

export const inspectedEventRoutes = (parts: Parts): Routes => ({
  "/sandbox/inspect/events": [
    // One row for each delivery, and one for each event without any; the newest first. With the counts of the tabs.
    get(async (call) => {
      const { driver } = call.context;
      const { merchantId, limit } = listed(call);
      const query = queryOf(call);
      const rows = await listEventRows(driver, { merchantId, limit }, query);
      return {
        rows: rows.map((row) => shownRow(call, row)),
        counts: await countEventRows(driver, merchantId, query),
        total: await countEvents(driver, merchantId),
        before: rows.length === limit ? rows.at(-1)?.cursor : null,
      };
    }),
  ],
  "/sandbox/inspect/resend": [
    // Resends the deliveries of the list's query, the oldest first.
    post(200, { query: text(4000, { min: 0 }) }, async ({ context, merchant }, order) => {
      const merchantId = merchant.id;
      const page = { merchantId, limit: MAX_RESENT };
      const query = new URLSearchParams(order.query);
      let count = 0;
      for (const id of await listResendable(context.driver, page, query)) {
        const what = { kind: "delivery", id } as const;
        // oxlint-disable-next-line no-await-in-loop -- in the order of the list
        if ((await replayDeliveries(context, { what, merchantId })).ok) count += 1;
      }
      return { count };
    }),
  ],
  "/sandbox/inspect/events/:eventId": [
    // With its deliveries, and their attempts with requests and responses.
    get(async (call) => {
      const { driver, policy } = call.context;
      const merchantId = call.merchant.id;
      const rows = await findEventRows(driver, merchantId, parameter(call, "eventId"));
      const [event] = rows;
      if (event === undefined) throw refuse("NOT_FOUND");
      const ids = rows.flatMap(({ deliveryId }) => deliveryId ?? []);
      const attempts = Map.groupBy(await listAttempts(driver, ids), (made) => made.deliveryId);
      return {
        event: {
          ...shownEvent(event),
          eventId: event.id,
          provider: policy.provider.name,
          subject: subjectOf(policy, event),
          findings: findingsOf(call, event),
        },
        deliveries: rows.flatMap(({ text: sealed, keyId, ...row }) => {
          const { deliveryId, subscriptionKey: key } = row;
          if (deliveryId === null || key === null) return [];
          const made = (attempts.get(deliveryId) ?? []).map((attempt) => {
            const signed = { ...event, key, text: sealed, keyId };
            const headers = sentRequest(parts, signed, attempt.startedAt)?.headers ?? null;
            return { ...inspectedAttempt(parts, attempt), headers };
          });
          return [{ ...shownRow(call, row), attempts: made }];
        }),
      };
    }),
  ],
  "/sandbox/inspect/search": [
    get(async (call) => {
      const wanted = queryOf(call).get("q")?.trim() ?? "";
      const { driver } = call.context;
      return { hits: wanted === "" ? [] : await searchRecords(driver, call.merchant.id, wanted) };
    }),
  ],
});

function shownRow({ context: { policy } }: Call, row: EventRow): object {
  const { payload, createdAt, isClaimed, ...shown } = row;
  return {
    ...shown,
    status: row.status === "pending" && isClaimed === 1 ? "sending" : row.status,
    provider: policy.provider.name,
    subject: subjectOf(policy, row),
    amount: amountIn(payload, policy.envelope.data),
    isPaused: row.isPaused === 1,
    nextAt: timeOrNull(row.nextAt),
    lastStartedAt: timeOrNull(row.lastStartedAt),
    timestamp: writtenTime(createdAt),
  };
}

/** Returns the amount in an event's data as text, such as `10.50 USD`. */
function amountIn(payload: string, pointer: string): string | null {
  const amount = valueAt(JSON.parse(payload), `${pointer}/amount`);
  if (!isObject(amount) || typeof amount["value"] !== "number") return null;
  return `${amount["value"].toFixed(2)} ${String(amount["currency"])}`;
}

/** An attempt with what is known of it beyond its record, and its cause. */
function inspectedAttempt({ wires, delivery: { deadlineMs } }: Parts, attempt: AttemptRow): object {
  const known = wires.find(attempt.deliveryId, attempt.number);
  const { at = null, headers: responseHeaders = null } = known ?? {};
  const fault = known?.fault ?? (attempt.answer === "INJECTED_FAULT" ? "status" : null);
  // The sandbox has signed it: its signature verifies.
  const diagnosis = diagnose({ ...attempt, fault, explanations: [] }, deadlineMs / 1000);
  return { ...shownAttempt(attempt), fault, responseHeaders, sandboxAt: timeOrNull(at), diagnosis };
}

/** Validates an event in the standard envelope with a standard name; `null` for any other, which has no schema here. */
function findingsOf({ context: { policy } }: Call, { type, payload }: EventRecord): object | null {
  const members = ["id", "type", "category", "timestamp", "data"] as const;
  const kinds = policy.catalogue.filter((row) => row.type === type).map(({ kind }) => kind);
  const isStandard = members.every((name) => policy.envelope[name] === `/${name}`);
  if (kinds.join() !== type || !isStandard) return null;
  const judged = validateEvent(JSON.parse(payload));
  // A profile may add values to a list.
  const faults = judged.ok ? [] : judged.errors.filter(({ keyword }) => keyword !== "enum");
  return { by: `the schema of ${type}`, faults };
}
