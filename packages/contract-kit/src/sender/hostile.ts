import { setTimeout } from "node:timers/promises";
import type { Endpoint } from "../harness/endpoints.ts";
import type { Sender, SenderScenario } from "./sender.ts";

const INJECTION = "P-EVENT-HEADER-INJECTION";
const INJECTED = "x-countersign-injected";

export const headerInjection: SenderScenario = {
  id: "sender/header-injection",
  title: "a line break in a subscription's url or an event's type adds no header",
  requirements: [INJECTION],
  run: async (sender) => {
    const types = sender.types.slice(0, 1);
    const { endpoint } = await sender.subscribe({
      url: ({ url }) => `${url}?a=%20HTTP/1.1%0d%0a${INJECTED}:%201%0d%0ab:`,
      types,
    });
    await sender.emit();
    const hasArrived = await endpoint.until((all) => all.length > 0);
    if (hasArrived)
      expectNoHeader(sender, endpoint, "%0d%0a in the url of a subscription ends the request line");
    else sender.notApplicable(INJECTION, "the sender sends nothing to such an address");
    if (!sender.takesAnyType) return;
    const typed = await sender.subscribe({ types });
    // Most senders refuse such a type, as they should.
    await sender.emit(`${sender.types[0]}\r\n${INJECTED}: 1`).catch(() => undefined);
    await sender.settled();
    const where = "a line break in an event's type is written into the headers";
    expectNoHeader(sender, typed.endpoint, where);
  },
};

function expectNoHeader(sender: Sender, { attempts }: Endpoint, message: string): void {
  const isInjected = attempts.some(({ headers }) => INJECTED in headers);
  if (attempts.length > 0) sender.expect(INJECTION, !isInjected, () => message);
}

const TLS = "P-EVENT-TLS";
/** Milliseconds in which a sender that connects would have sent an attempt. */
const SENDING_MS = 500;

export const certificates: SenderScenario = {
  id: "sender/certificates",
  title: "nothing is sent to an https address whose certificate nobody has issued",
  requirements: [TLS],
  run: async (sender) => {
    const { listenSecurely } = sender;
    if (listenSecurely === undefined)
      return sender.notApplicable(TLS, "the sender takes no https address of the kit");
    const secure = await listenSecurely();
    try {
      await sender.subscribe({ url: () => secure.url, types: sender.types.slice(0, 1) });
      await sender.emit();
      const hasConnected = await secure.connected;
      if (!hasConnected)
        return sender.notApplicable(TLS, "the sender did not connect to the https address");
      await setTimeout(SENDING_MS);
      sender.expect(TLS, secure.requests() === 0, () => {
        return "an event was sent to a server with a self-signed certificate";
      });
    } finally {
      secure.close();
    }
  },
};
