import { expectGenuine } from "./attempts.ts";
import type { SenderScenario } from "./sender.ts";

const ARRIVES = "P-EVENT-ARRIVES";

/** Types that one run causes: a catalogue may have hundreds. */
const MAX_TYPES = 20;

export const deliveries: SenderScenario = {
  id: "sender/deliveries",
  title: "each event arrives with a signature over its bytes, and fits its schema",
  requirements: [
    ARRIVES,
    "P-EVENT-HEADERS",
    "P-EVENT-SIGNED",
    "P-EVENT-TIMESTAMP",
    "P-EVENT-NO-SECRETS",
    "P-EVENT-CATALOGUE",
    "P-EVENT-SCHEMA",
  ],
  run: async (sender) => {
    const { endpoint, secret } = await sender.subscribe();
    const emitted = [];
    for (const type of sender.types.slice(0, MAX_TYPES))
      emitted.push({ type, id: await sender.emit(type) });
    await sender.settled();
    const missing = await sender.reader.missingAt(endpoint, emitted);
    for (const attempt of endpoint.attempts) {
      expectGenuine(sender, attempt, secret);
      sender.expectEvent(attempt);
    }
    sender.expect(ARRIVES, missing.length === 0, () => {
      return `not delivered in time: ${missing.map(({ type }) => type).join(", ")}`;
    });
  },
};

const ISOLATED = "P-EVENT-ISOLATED";
/** More events than a sender has in flight to one receiver. */
const EVENTS = 24;

export const slowReceivers: SenderScenario = {
  id: "sender/slow-receivers",
  title: "a silent receiver does not delay another one's events",
  requirements: [ISOLATED],
  run: async (sender) => {
    if (!sender.hasSeveralEndpoints)
      return sender.notApplicable(ISOLATED, "a second endpoint cannot be subscribed");
    const types = sender.types.slice(0, 1);
    const silent = await sender.subscribe({ answer: () => "silence", types });
    const well = await sender.subscribe({ types });
    const emitted = await Promise.all(
      Array.from({ length: EVENTS }, async () => ({ id: await sender.emit() })),
    );
    const hasBegun = await silent.endpoint.until((all) => all.length > 0);
    if (!sender.expect(ISOLATED, hasBegun, () => "no attempt arrived at the silent receiver"))
      return;
    const missing = await sender.reader.missingAt(well.endpoint, emitted);
    sender.expect(ISOLATED, missing.length === 0, () => {
      return `while another receiver was silent: ${missing.length} of ${EVENTS} events did not arrive in time`;
    });
  },
};

const ROTATION = "P-EVENT-ROTATION";

export const rotation: SenderScenario = {
  id: "sender/rotation",
  title: "attempts are signed with a new secret as soon as the sender has it",
  requirements: [ROTATION],
  run: async (sender) => {
    if (sender.rotate === undefined)
      return sender.notApplicable(ROTATION, "no command rotates the secret (--rotate)");
    const { endpoint } = await sender.subscribe();
    const next = await sender.rotate();
    await sender.emit();
    await endpoint.until(({ length }) => length > 0);
    const [attempt] = endpoint.attempts;
    const verification = attempt && sender.reader.verify(attempt, next);
    sender.expect(ROTATION, verification?.ok === true, () => {
      const code = verification?.ok === false ? verification.code : "no attempt arrived";
      return `an attempt after the rotation is not signed with the new secret: ${code}`;
    });
  },
};
