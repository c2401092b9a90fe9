import type { KitSender } from "../harness/kit-sender.ts";
import type { Reply } from "../harness/message.ts";
import type { Survey } from "../harness/receiver-target.ts";
import { idleConnection, sendNextTo } from "./blocked.ts";
import { diagnose } from "./diagnose.ts";

const BLOCKED =
  "One idle connection blocks all others, and each sender keeps one for its next attempt: serve connections in threads, or close each after its answer.";

/**
 * Sends one genuine attempt of each type, once in a run: a receiver that accepts some types has the right clock, secret
 * and path. Which types a vendor's receiver handles is not known: those that show no effect are left out of later checks.
 */
export function survey(kit: KitSender): Promise<Survey> {
  kit.target.runState.survey ??= sendEachType(kit);
  return kit.target.runState.survey;
}

async function sendEachType(kit: KitSender): Promise<Survey> {
  const { events, target } = kit;
  const { rows } = events;
  const post = (some: typeof rows, isFound?: (reply: Reply) => boolean) =>
    kit.postAll(
      some.map((row) => kit.attempt({ row, what: row.type })),
      { ...(isFound && { isFound }) },
    );
  const isLate = ({ failure }: Reply): boolean => failure === "timeout";
  const first = await post(rows, isLate);
  const late = first.find(({ reply }) => isLate(reply));
  if (late !== undefined && (await sendNextTo(kit, idleConnection)).delay === "stranger")
    return { sent: [late], cause: BLOCKED };
  const left = rows.filter(({ type }) => first.every(({ what }) => what !== type));
  const sent = [...first, ...(await post(left))];
  const accepted = sent.filter(({ reply }) => reply.isAcknowledged);
  const [refused, ...others] = sent.map(({ reply }) => reply);
  if (refused !== undefined && accepted.length === 0)
    return { sent, cause: await diagnose(kit, [refused, ...others]) };
  const seen = await kit.waitForEffects(accepted.map(({ event }) => event));
  const handled = new Set(
    accepted.filter(({ event }) => seen?.of(event) !== undefined).map(({ event }) => event.type),
  );
  if (!target.handlesAll && handled.size > 0)
    events.rows = events.rows.filter(({ type }) => handled.has(type));
  return { sent, seen };
}
