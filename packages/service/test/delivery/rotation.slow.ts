import { describe, expect, it } from "vitest";
import { peers, rotate } from "./rotation.ts";

const ROTATIONS = 100;
const EVENTS_EACH = 500;

describe("B19: a merchant who changes secrets by a second subscription, 10^5 deliveries", () => {
  it.each(peers)("verifies every attempt with $name", async (peer) => {
    const tally = await rotate(peer, { rotations: ROTATIONS, eventsEach: EVENTS_EACH });
    expect(tally).toEqual({
      attempts: 2 * ROTATIONS * EVENTS_EACH,
      refused: 0,
      events: ROTATIONS * EVENTS_EACH,
    });
  });
});
