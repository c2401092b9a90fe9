import type { ReceiverCheck } from "../../check.ts";
import { receiverCheck } from "../../harness/play.ts";
import { NO_EFFECTS } from "../../harness/effects.ts";

const HANGING = "R-ACK-HANGING";

/** A handler that is told never to end. */
export const hanging: ReceiverCheck = receiverCheck({
  id: "receiver/hanging",
  title:
    "an attempt whose handler hangs is answered before the sender gives up, and not acknowledged",
  requirements: [HANGING],
  slow: true,
  play: async (bench) => {
    const { docket, target } = bench;
    if (target.effects === undefined) {
      docket.unseen(HANGING, NO_EFFECTS);
      return;
    }
    if (!(await target.effects.hangNext(1))) {
      docket.unseen(HANGING, 'its effects take no PUT {"hangNext": n} that makes handlers hang');
      return;
    }
    const event = bench.event();
    const reply = await bench.post(bench.attempt(event));
    await target.effects.mend();
    const effects = reply.isAcknowledged ? await bench.effects([event.id]) : undefined;
    if (effects?.has(event.id) === true) {
      docket.unseen(HANGING, "the handler did not hang, though it was told to");
      return;
    }
    docket.judge(
      HANGING,
      reply.status !== undefined && !reply.isAcknowledged,
      () =>
        `a refusal within ${target.wire.deadlineMs} ms expected, ${reply.said} came${reply.isAcknowledged ? ", and its handler has not ended" : ""}`,
      () => [reply.exchange()],
    );
  },
});
