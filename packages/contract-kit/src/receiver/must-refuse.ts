import type { Attempt, Bench } from "./bench.ts";
import type { Reply } from "./reply.ts";

/** An attempt that a receiver must not take. */
export interface Forgery {
  /** What is wrong with it, as the subject of a sentence. */
  readonly what: string;
  readonly attempt: Attempt;
}

/**
 * Sends what must be refused, then a genuine attempt: nothing of the former may be acknowledged or show
 * an effect, and the receiver must still be there.
 */
export async function mustRefuse(
  bench: Bench,
  requirement: string,
  forgeries: readonly Forgery[],
): Promise<readonly Reply[]> {
  const { docket } = bench;
  const replies = await bench.postAll(forgeries.map(({ attempt }) => attempt));
  const genuine = bench.event();
  const after = await bench.post(bench.attempt(genuine));
  docket.judge(
    requirement,
    after.isAcknowledged,
    () => `a genuine attempt after ${forgeries[0]?.what ?? "them"} is answered by ${after.said}`,
    () => [after.exchange()],
  );
  // The genuine one's effect comes after those of what was sent before it.
  const effects = await bench.effects([genuine.id]);
  forgeries.forEach(({ what, attempt }, index) => {
    const reply = replies[index];
    if (reply === undefined) return;
    const ran = attempt.ids.find((id) => (effects?.get(id)?.count ?? 0) > 0);
    docket.judge(
      requirement,
      !reply.isAcknowledged && ran === undefined,
      () =>
        `${what}: a refusal expected, ${reply.said} came${ran === undefined ? "" : ", and a handler ran"}`,
      () => [reply.exchange()],
    );
  });
  return replies;
}
