import { setTimeout } from "node:timers/promises";
import { expectGenuine } from "./attempts.ts";
import type { Endpoint } from "../harness/endpoints.ts";
import type { SenderScenario, TestedSender } from "./tested-sender.ts";

const ARRIVES = "P-EVENT-ARRIVES";
const UNIQUE = "P-EVENT-ID-UNIQUE";

/** Types that one run causes: a catalogue may have hundreds. */
const MAX_TYPES = 20;

export const deliveries: SenderScenario = {
  id: "sender/deliveries",
  title: "each event arrives with a signature over its bytes, and fits its schema",
  run: async (sender) => {
    const { endpoint, secret } = await sender.subscribe({ isForAll: true });
    const emitted = [];
    for (const type of sender.types.slice(0, MAX_TYPES))
      emitted.push({ type, id: await sender.emit(type) });
    await sender.settled();
    const missing = await sender.reader.missingAt(endpoint, emitted);
    for (const attempt of endpoint.attempts) {
      expectGenuine(sender, attempt, secret);
      sender.expectEvent(attempt);
    }
    const late = `not delivered in time: ${missing.map(({ type }) => type).join(", ")}`;
    sender.expect(ARRIVES, missing.length === 0, late);
    await expectUniqueIds(sender, endpoint);
  },
};

/** Events that are caused at once: some senders make ids of the time in seconds. */
const AT_ONCE = 4;

async function expectUniqueIds(sender: TestedSender, endpoint: Endpoint): Promise<void> {
  const { reader } = sender;
  const { length: before } = endpoint.attempts;
  // Some triggers run once at a time: what they refuse proves nothing.
  await Promise.allSettled(Array.from({ length: AT_ONCE }, () => sender.emit()));
  await endpoint.until(({ length }) => length >= before + AT_ONCE);
  // A sender that sends each event twice has sent all then.
  await sender.settled();
  const ids = endpoint.attempts.slice(before).map((attempt) => reader.facts(attempt).id);
  if (ids.includes(undefined))
    return sender.notApplicable(UNIQUE, `the events of ${reader.provider.title} have no id`);
  if (ids.length < AT_ONCE)
    return sender.notApplicable(UNIQUE, `the sender does not send ${AT_ONCE} events at once`);
  const { size } = new Set(ids);
  const shared = `${AT_ONCE} events at once have only ${size} ids: ${[...new Set(ids)].join(", ")}`;
  sender.expect(UNIQUE, size >= AT_ONCE, shared);
}

const ISOLATED = "P-EVENT-ISOLATED";
/** More events than a sender has in flight to one receiver. */
const EVENTS = 24;

export const slowReceivers: SenderScenario = {
  id: "sender/slow-receivers",
  title: "a silent receiver does not delay another one's events",
  run: async (sender) => {
    if (!sender.hasSeveralEndpoints)
      return sender.notApplicable(ISOLATED, "a second endpoint cannot be subscribed");
    const silent = await sender.subscribe({ answer: () => "silence" });
    const well = await sender.subscribe();
    const emitted = await Promise.all(
      Array.from({ length: EVENTS }, async () => ({ id: await sender.emit() })),
    );
    const hasBegun = await silent.endpoint.until((all) => all.length > 0);
    if (!sender.expect(ISOLATED, hasBegun, "no attempt arrived at the silent receiver")) return;
    const missing = await sender.reader.missingAt(well.endpoint, emitted);
    const what = `events of ${EVENTS} that are missing while another receiver is silent`;
    sender.expectEqual(ISOLATED, what, missing.length, 0);
  },
};

const ROTATION = "P-EVENT-ROTATION";

export const rotation: SenderScenario = {
  id: "sender/rotation",
  title: "attempts are signed with a new secret as soon as the sender has it",
  run: async (sender) => {
    if (sender.rotate === undefined)
      return sender.notApplicable(ROTATION, "no command rotates the secret (--rotate)");
    const { endpoint } = await sender.subscribe();
    const next = await sender.rotate();
    await sender.emit();
    await endpoint.until(({ length }) => length > 0);
    const [attempt] = endpoint.attempts;
    const verification = attempt && sender.reader.verify(attempt, next);
    const code = verification?.ok === false ? verification.code : "no attempt arrived";
    const other = `an attempt after the rotation is not signed with the new secret: ${code}`;
    sender.expect(ROTATION, verification?.ok === true, other);
  },
};

const INJECTION = "P-EVENT-HEADER-INJECTION";
const INJECTED = "x-countersign-injected";

export const headerInjection: SenderScenario = {
  id: "sender/header-injection",
  title: "a line break in a subscription's url or an event's type adds no header",
  run: async (sender) => {
    const { endpoint } = await sender.subscribe({
      url: ({ url }) => `${url}?a=%20HTTP/1.1%0d%0a${INJECTED}:%201%0d%0ab:`,
    });
    await sender.emit();
    const hasArrived = await endpoint.until((all) => all.length > 0);
    if (hasArrived)
      expectNoHeader(sender, endpoint, "%0d%0a in the url of a subscription ends the request line");
    else sender.notApplicable(INJECTION, "the sender sends nothing to such an address");
    if (!sender.takesAnyType) return;
    const typed = await sender.subscribe();
    // Most senders refuse such a type, as they should.
    await sender.emit(`${sender.types[0]}\r\n${INJECTED}: 1`).catch(() => undefined);
    await sender.settled();
    const where = "a line break in an event's type is written into the headers";
    expectNoHeader(sender, typed.endpoint, where);
  },
};

function expectNoHeader(sender: TestedSender, { attempts }: Endpoint, message: string): void {
  const isInjected = attempts.some(({ headers }) => INJECTED in headers);
  if (attempts.length > 0) sender.expect(INJECTION, !isInjected, message);
}

const TLS = "P-EVENT-TLS";
/** Milliseconds in which a sender that connects would have sent an attempt. */
const SENDING_MS = 500;

export const certificates: SenderScenario = {
  id: "sender/certificates",
  title: "nothing is sent to an https address whose certificate nobody has issued",
  run: async (sender) => {
    const secure = await sender.listenSecurely();
    try {
      await sender.subscribe({ url: () => secure.url });
      await sender.emit();
      if (!(await secure.isReached()))
        return sender.notApplicable(TLS, "the sender did not connect to the https address");
      await setTimeout(SENDING_MS);
      const what = "requests to a server with a self-signed certificate";
      sender.expectEqual(TLS, what, secure.requests(), 0);
    } finally {
      secure.close();
    }
  },
};
