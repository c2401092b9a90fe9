import { describe, expect, it } from "vitest";
import { peers, rotate } from "./rotation.ts";

// With the three of them 102 rotations and 2,040 deliveries; the long form is in `rotation.slow.ts`.
const ROTATIONS = 34;
const EVENTS_EACH = 10;

describe("B19: a merchant who changes secrets by a second subscription", () => {
  it.each(peers)(
    "verifies every attempt with $name, and sees each event once by its id",
    async (peer) => {
      const tally = await rotate(peer, { rotations: ROTATIONS, eventsEach: EVENTS_EACH });
      expect(tally).toEqual({
        attempts: 2 * ROTATIONS * EVENTS_EACH,
        refused: 0,
        events: ROTATIONS * EVENTS_EACH,
      });
    },
  );
});
