import { eligibleAt } from "@countersign/rules";
import type { Profile } from "@countersign/schemas";
import type { ProviderCheck } from "../../check.ts";
import type { Place } from "../../target.ts";
import { eventOf, valueAt } from "../../harness/delivered-event.ts";
import { settled } from "../../harness/passing-time.ts";
import { holdOf } from "./refund-model.ts";
import { askRefund, isCreated, shown } from "./refunds.ts";
import { playOnce, type Unseen } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { subscribe } from "./subscription-calls.ts";
import { must } from "../../harness/violation.ts";

const REQUIREMENT = "P-EVENT-EACH-STATE";
const requirements = [REQUIREMENT, "P-ANSWER-SCHEMA"];

/** Refunds of payments in each state, and the events of each refund. */
export const refundEvents: ProviderCheck = {
  id: "provider/refund-events",
  title:
    "a refund has one event for each state that it enters, and none for one that it passes over",
  role: "provider",
  requirements,
  run: (target, context) =>
    playOnce(
      { requirements, needs: ["payments", "settle", "fail", "cover", "clock", "receiver"], play },
      target,
      context,
    ),
};

type Kind = "refund.pending" | "refund.authorized" | "refund.failed";

interface Told {
  readonly what: string;
  readonly refund: string;
  readonly kinds: readonly Kind[];
}

async function play(session: Session): Promise<Unseen | void> {
  const { payments, clock } = session.controls;
  const { profile, receiver } = session.target;
  if (payments === undefined || clock === undefined) return undefined;
  const types = profile.catalogue.flatMap(({ kind, type }) =>
    kind?.startsWith("refund.") === true ? [type] : [],
  );
  if (types.length === 0 || profile.refund.responsePaymentId === "original")
    return { [REQUIREMENT]: "the profile's events do not tell which refund they are of" };
  const place = session.receive();
  const details = { type: "EVENT", details: [...new Set(types)] } as const;
  await subscribe(session, { requirement: REQUIREMENT, url: place.url, details });

  const debit = async (): Promise<string> => (await payments.create(1000n)).paymentId;
  const ask = async (paymentId: string): Promise<string> => {
    const answer = await askRefund(session, {
      paymentId,
      amount: "1.00",
      requestKey: session.key(),
    });
    must(REQUIREMENT, isCreated(answer, profile), () => `no refund was made: ${shown(answer)}`);
    return String(answer.body["paymentId"]);
  };
  const [failing, settling, settledBefore, failed, covered] = [
    await debit(),
    await debit(),
    await debit(),
    await debit(),
    await debit(),
  ];
  const [early, held] = [await ask(failing), await ask(settling)];
  await payments.fail?.(failing);
  await payments.fail?.(failed);
  const now = await clock.now();
  for (const paymentId of [settling, settledBefore, covered]) {
    // oxlint-disable-next-line no-await-in-loop -- three
    await payments.settle?.(paymentId, now);
  }
  await payments.cover?.(covered);
  await clock.advance(eligibleAt(now, holdOf(profile)) - now + HOUR_MS);
  const told: readonly Told[] = [
    { what: "pending, then failed", refund: early, kinds: ["refund.pending", "refund.failed"] },
    { what: "pending, then sent", refund: held, kinds: ["refund.pending", "refund.authorized"] },
    { what: "sent at once", refund: await ask(settledBefore), kinds: ["refund.authorized"] },
    { what: "of a failed payment", refund: await ask(failed), kinds: ["refund.failed"] },
    { what: "of a covered payment", refund: await ask(covered), kinds: ["refund.failed"] },
  ];
  await place.until(
    () => told.every((one) => typesAt(place, one.refund, profile).length >= one.kinds.length),
    receiver?.deliveryMs ?? 0,
  );
  await settled(session);
  for (const { what, refund, kinds } of told) {
    const wanted = kinds.flatMap((kind) => typeOf(kind, profile)).toSorted();
    const came = typesAt(place, refund, profile).toSorted();
    must(REQUIREMENT, came.join() === wanted.join(), () => {
      return `a refund that is ${what}: ${wanted.join(", ")} expected, ${came.join(", ") || "nothing"} came`;
    });
  }
  return undefined;
}

const HOUR_MS = 3_600_000;

function typeOf(kind: Kind, { catalogue }: Profile): readonly string[] {
  return catalogue.filter((row) => row.kind === kind).map(({ type }) => type);
}

/** The types of a refund's events, each event once however often it was attempted. */
function typesAt({ attempts }: Place, refund: string, profile: Profile): readonly string[] {
  const events = new Map<string, string>();
  for (const { body } of attempts) {
    const event = eventOf(body, profile);
    if (typeof event === "string") continue;
    const row = profile.catalogue.find(({ type }) => type === event.type);
    if (row !== undefined && valueAt(event.root, row.resource) === refund)
      events.set(String(event.id), row.type);
  }
  return [...events.values()];
}
