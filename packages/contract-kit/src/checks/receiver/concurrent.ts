import type { ReceiverCheck } from "../../check.ts";
import type { Bench } from "../../harness/bench.ts";
import { receiverCheck } from "../../harness/play.ts";
import { NO_EFFECTS, NO_FAILURES } from "../../harness/effects.ts";

const CONCURRENT = "R-ONCE-CONCURRENT";
const IN_PROGRESS = "R-ACK-IN-PROGRESS";

const AT_ONCE = 8;
const EVENTS = 3;

/** Attempts of one event whose last bytes come at the same moment. */
export const concurrent: ReceiverCheck = receiverCheck({
  id: "receiver/concurrent",
  title:
    "of identical attempts at the same time one runs the handler, and no other one vouches for it",
  requirements: [CONCURRENT, IN_PROGRESS],
  play: async (bench) => {
    const { docket, target } = bench;
    if (target.effects === undefined) {
      docket.unseen(CONCURRENT, NO_EFFECTS);
      docket.unseen(IN_PROGRESS, NO_EFFECTS);
      return;
    }
    for (let turn = 0; turn < EVENTS; turn += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one event's attempts at a time
      await together(bench);
    }
    if (await target.effects.failNext(1)) {
      await whileFailing(bench);
      await target.effects.mend();
    } else docket.unseen(IN_PROGRESS, NO_FAILURES);
  },
});

async function together(bench: Bench): Promise<void> {
  const event = bench.event();
  const replies = await bench.postTogether(
    Array.from({ length: AT_ONCE }, () => bench.attempt(event)),
  );
  const acknowledged = replies.filter((reply) => reply.isAcknowledged);
  const effects = await bench.effects(acknowledged.length > 0 ? [event.id] : []);
  const count = effects?.get(event.id)?.count ?? 0;
  const [shown] = acknowledged;
  bench.docket.judge(
    CONCURRENT,
    count === 1 && acknowledged.length > 0,
    () =>
      `${AT_ONCE} attempts at once: one run expected, ${count} came, and ${acknowledged.length} were acknowledged`,
    () => (shown === undefined ? [] : [shown.exchange()]),
  );
}

/** The handler fails while others of its event are there: whoever was acknowledged would be lost. */
async function whileFailing(bench: Bench): Promise<void> {
  const { docket } = bench;
  const event = bench.event();
  const replies = await bench.postTogether(
    Array.from({ length: AT_ONCE }, () => bench.attempt(event)),
  );
  const acknowledged = replies.filter((reply) => reply.isAcknowledged);
  const [shown] = acknowledged;
  if (shown === undefined) {
    docket.judge(IN_PROGRESS, true, () => "");
  } else {
    const effects = await bench.effects([event.id]);
    const isHandled = (effects?.get(event.id)?.count ?? 0) > 0;
    docket.refute(
      IN_PROGRESS,
      // The one whose handler ran and failed is not in progress elsewhere.
      isHandled || acknowledged.length === 1,
      () =>
        `${acknowledged.length} of ${AT_ONCE} attempts at once were acknowledged, and the only run of the handler failed: the event is lost`,
      () => [shown.exchange()],
    );
    const others = replies.length - acknowledged.length;
    if (others > 1) docket.judge(IN_PROGRESS, true, () => "");
    docket.unseen(IN_PROGRESS, "no attempt met another one of its event in progress");
  }
}
