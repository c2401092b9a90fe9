import type { ReceiverCheck } from "../../check.ts";
import { receiverCheck } from "../../harness/play.ts";

const REUSED = "R-ONCE-REUSED";

/** A genuine attempt of another event under an id that was handled. */
export const reused: ReceiverCheck = receiverCheck({
  id: "receiver/reused",
  title: "a known id with another body is refused",
  requirements: [REUSED],
  play: async (bench) => {
    const { docket, target } = bench;
    const event = bench.event();
    await bench.post(bench.attempt(event));
    const row = target.profile.catalogue[1] ?? target.profile.catalogue[0];
    const other = bench.event({ id: event.id, row, resource: `${event.id}o` });
    const reply = await bench.post(bench.attempt(other));
    const last = bench.event();
    await bench.post(bench.attempt(last));
    const effects = await bench.effects([last.id]);
    docket.judge(
      REUSED,
      !reply.isAcknowledged,
      () => `another event under a handled id: a refusal expected, ${reply.said} came`,
      () => [reply.exchange()],
    );
    const count = effects?.get(event.id)?.count ?? 1;
    docket.refute(REUSED, count <= 1, () => `its handler has run ${count} times`);
  },
});
