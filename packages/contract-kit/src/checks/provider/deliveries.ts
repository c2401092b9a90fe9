import type { ProviderCheck } from "../../check.ts";
import type { Place } from "../../target.ts";
import { eventFaults, eventOf, idOf } from "../../harness/delivered-event.ts";
import { requireGenuine } from "../../harness/genuine-attempt.ts";
import { settled } from "../../harness/passing-time.ts";
import { playOnce } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { newSecret, subscribe, typesOf } from "./subscription-calls.ts";
import { must } from "../../harness/violation.ts";

const CATALOGUE = "P-EVENT-CATALOGUE";
const SCHEMA = "P-EVENT-SCHEMA";
const SELECT = "P-SUBSCRIBE-SELECT";
const requirements = [
  "P-EVENT-HEADERS",
  "P-EVENT-SIGNED",
  "P-EVENT-TIMESTAMP",
  CATALOGUE,
  SCHEMA,
  SELECT,
  "P-ANSWER-SCHEMA",
];

/** One event of each type of the catalogue, as it comes over the wire. */
export const deliveries: ProviderCheck = {
  id: "provider/deliveries",
  title: "each event of the catalogue arrives signed over its bytes, and fits its schema",
  role: "provider",
  requirements,
  run: (target, context) =>
    playOnce({ requirements, needs: ["events", "receiver"], play }, target, context),
};

async function play(session: Session): Promise<void> {
  const { target, controls } = session;
  const { profile } = target;
  // The scheme's own form of a secret, and any other text.
  const secrets = [
    newSecret(session),
    ...(profile.signature.scheme === "standard-webhooks"
      ? [`whsec_${Buffer.from(newSecret(session)).toString("base64")}`]
      : []),
  ];
  const places = await Promise.all(
    secrets.map(async (secretKey) => {
      const place = session.receive();
      await subscribe(session, { requirement: SELECT, url: place.url, secretKey });
      return { place, secretKey };
    }),
  );
  const types = typesOf(profile);
  const emitted = await Promise.all(
    types.map(async (type) => ({ type, id: (await controls.events?.emit(type)) ?? "" })),
  );
  for (const { place, secretKey } of places) {
    // oxlint-disable-next-line no-await-in-loop -- both have been under way since the events were
    const missing = await missingOf(session, place, emitted);
    // First what came: an event that cannot be read is not counted as one that was delivered.
    for (const attempt of place.attempts) {
      requireGenuine(attempt, secretKey, profile);
      requireKnown(attempt.body, session);
    }
    must(SELECT, missing.length === 0, () => `not delivered in time: ${missing.join(", ")}`);
  }
  await settled(session);
}

/** The types of the events that have not come to a place in time. */
export async function missingOf(
  { target }: Session,
  place: Place,
  emitted: readonly { readonly type: string; readonly id: string }[],
): Promise<readonly string[]> {
  const missing = (): readonly string[] => {
    const come = new Set(place.attempts.map(({ body }) => idOf(body, target.profile)));
    return emitted.filter(({ id }) => !come.has(id)).map(({ type }) => type);
  };
  await place.until(() => missing().length === 0, target.receiver?.deliveryMs ?? 0);
  return missing();
}

function requireKnown(body: Uint8Array, { target: { profile } }: Session): void {
  const event = eventOf(body, profile);
  if (typeof event === "string") {
    must(SCHEMA, false, () => event);
    return;
  }
  const { type, category } = event;
  const row = profile.catalogue.find((one) => one.type === type);
  must(CATALOGUE, row !== undefined, () => `the catalogue has no ${JSON.stringify(type)}`);
  must(CATALOGUE, category === undefined || category === row.category, () => {
    return `${String(type)} is of ${row.category}, and is sent as ${JSON.stringify(category)}`;
  });
  const faults = eventFaults(event, profile);
  must(SCHEMA, faults.length === 0, () => `${String(type)}: ${faults.join("; ")}`);
}
