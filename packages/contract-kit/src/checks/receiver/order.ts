import type { ReceiverCheck } from "../../check.ts";
import type { BenchEvent } from "../../harness/bench.ts";
import { receiverCheck } from "../../harness/play.ts";
import { NO_EFFECTS } from "../../harness/effects.ts";

const NONE = "R-ORDER-NONE";
const GUARD = "R-ORDER-GUARD";

const HOUR_MS = 3_600_000;

/** Events that arrive in another order than they happened in. */
export const order: ReceiverCheck = receiverCheck({
  id: "receiver/order",
  title: "an event that comes late is acknowledged, and runs but where an order guard skips it",
  requirements: [NONE, GUARD],
  play: async (bench) => {
    const { docket, target } = bench;
    const { catalogue } = target.profile;
    const newer = catalogue.find(({ kind }) => kind === "payment.succeeded") ?? catalogue[0];
    const older = catalogue.find(({ kind }) => kind === "payment.created") ?? catalogue[0];
    const now = target.wire.clock.now();
    const last = bench.event({ row: newer, at: now });
    const same = bench.event({ row: older, at: now - HOUR_MS, resource: last.resource });
    const other = bench.event({ row: older, at: now - 2 * HOUR_MS });
    const late: readonly (readonly [string, BenchEvent])[] = [
      ["an older event of the same resource", same],
      ["an older event of another resource", other],
    ];
    const events = [last, ...late.map(([, event]) => event)];
    const replies = await bench.postAll(
      events.map((event) => bench.attempt(event)),
      1,
    );
    const [, sameReply, otherReply] = replies;
    // What refuses an older event of its resource alone is an order guard that does not acknowledge.
    const guards = otherReply?.isAcknowledged === true && sameReply?.isAcknowledged === false;
    late.forEach(([what], index) => {
      const reply = replies[index + 1];
      if (reply === undefined) return;
      docket.refute(
        guards ? GUARD : NONE,
        reply.isAcknowledged,
        () => `${what}: to be acknowledged, and ${reply.said} came`,
        () => [reply.exchange()],
      );
    });
    if (replies.some((reply) => !reply.isAcknowledged)) {
      docket.unseen(guards ? NONE : GUARD, "an event that came late was not acknowledged");
      return;
    }

    const control = bench.event({ row: newer, at: now });
    await bench.post(bench.attempt(control));
    const effects = await bench.effects([last.id, other.id, control.id]);
    if (effects === undefined) {
      docket.unseen(NONE, NO_EFFECTS);
      docket.unseen(GUARD, NO_EFFECTS);
      return;
    }
    // An order guard is about one resource: another one's events all run.
    docket.refute(
      NONE,
      effects.has(other.id),
      () => "an older event of another resource: acknowledged, and its handler has not run",
      () => replies.slice(2, 3).map((reply) => reply.exchange()),
    );
    const isGuarded = !effects.has(same.id);
    const [shown, unseen] = isGuarded ? [GUARD, NONE] : [NONE, GUARD];
    docket.judge(shown, true, () => "");
    docket.unseen(
      unseen,
      isGuarded
        ? "it has an order guard: the older event of a resource did not run"
        : "it has no order guard: the older event of a resource ran",
    );
    if (!effects.has(other.id))
      docket.unseen(GUARD, "it is no guard: other resources' events are skipped");
  },
});
