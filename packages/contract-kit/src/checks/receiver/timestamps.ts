import type { ReceiverCheck } from "../../check.ts";
import { mustRefuse, receiverCheck } from "../../harness/play.ts";
import { isLocalName, hostOf } from "../../harness/owned-host.ts";

const STALE = "R-VERIFY-STALE";
const AHEAD = "R-VERIFY-AHEAD";

/** Seconds by which an attempt is beyond or within the tolerance: clocks of two machines differ, and time passes. */
const MARGIN = 30;
const LOCAL_MARGIN = 10;

/** Genuine signatures with timestamps just inside and outside of both limits. */
export const timestamps: ReceiverCheck = receiverCheck({
  id: "receiver/timestamps",
  title: "attempts outside the tolerance are refused, early or late, and those within are accepted",
  requirements: [STALE, AHEAD],
  play: async (bench) => {
    const { docket, signing, target } = bench;
    if (!signing.covers.timestamp) {
      for (const one of [STALE, AHEAD]) docket.unseen(one, "the profile's scheme signs no time");
      return;
    }
    const tolerance = target.profile.signature.toleranceSeconds;
    const isHere = isLocalName(hostOf(target.wire.url));
    const margin = isHere ? LOCAL_MARGIN : MARGIN;
    // If the tolerance is smaller than the margin, only the present is certainly within it.
    const inner = Math.max(0, tolerance - margin);
    const at = (seconds: number) =>
      bench.attempt(bench.event(), { timestamp: bench.seconds() + seconds });

    const within = tolerance < margin / 2 ? [] : [-inner, inner, 0];
    const taken = await bench.postAll(within.map(at));
    within.forEach((seconds, index) => {
      const reply = taken[index];
      if (reply === undefined) return;
      docket.judge(
        STALE,
        reply.isAcknowledged,
        [reply],
        () => `${told(seconds)}: within ±${tolerance} s, got ${reply.said}`,
      );
    });
    const attemptsAt = (beyond: readonly number[]) =>
      beyond.map((seconds) => ({ what: `an attempt ${told(seconds)}`, attempt: at(seconds) }));
    await mustRefuse(bench, STALE, [
      ...attemptsAt([-margin, -60, -3600, -86_400 * 365].map((seconds) => seconds - tolerance)),
      {
        what: "an attempt of the time 0",
        attempt: bench.attempt(bench.event(), { timestamp: 0 }),
      },
    ]);
    await mustRefuse(bench, AHEAD, [
      ...attemptsAt([margin, 60, 3600, 86_400 * 365 * 10].map((seconds) => seconds + tolerance)),
      {
        what: "an attempt of a time beyond every clock's",
        attempt: bench.attempt(bench.event(), { timestamp: target.wire.clock.now() % 1e12 }),
      },
    ]);
  },
});

function told(seconds: number): string {
  return seconds < 0 ? `of ${-seconds} s ago` : `from ${seconds} s ahead`;
}
