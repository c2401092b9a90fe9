import type { ProviderCheck } from "../../check.ts";
import { missingOf } from "./deliveries.ts";
import { playOnce } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { subscribe } from "./subscription-calls.ts";
import { must } from "../../harness/violation.ts";

const REQUIREMENT = "P-EVENT-ISOLATED";
const requirements = [REQUIREMENT, "P-ANSWER-SCHEMA"];

/** More than a sender has under way to one receiver. */
const EVENTS = 24;

/** A receiver that answers nothing, beside one that is well. */
export const slowReceivers: ProviderCheck = {
  id: "provider/slow-receivers",
  title: "a receiver that is silent does not delay what another one gets",
  role: "provider",
  requirements,
  run: (target, context) =>
    playOnce({ requirements, needs: ["events", "receiver"], play }, target, context),
};

async function play(session: Session): Promise<void> {
  const { profile } = session.target;
  const silent = session.receive(() => "silence");
  const well = session.receive();
  for (const { url } of [silent, well]) {
    // oxlint-disable-next-line no-await-in-loop -- two, the silent one first
    await subscribe(session, { requirement: REQUIREMENT, url });
  }
  const [type = ""] = profile.catalogue.map((row) => row.type);
  const emitted = await Promise.all(
    Array.from({ length: EVENTS }, async () => ({
      type,
      id: (await session.controls.events?.emit(type)) ?? "",
    })),
  );
  const hasBegun = await silent.until(
    (all) => all.length > 0,
    session.target.receiver?.deliveryMs ?? 0,
  );
  must(REQUIREMENT, hasBegun, () => "no attempt came to the receiver that is to be silent");
  const missing = await missingOf(session, well, emitted);
  must(REQUIREMENT, missing.length === 0, () => {
    return `while another receiver was silent: ${missing.length} of ${EVENTS} events did not come in time`;
  });
}
