import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { parsePlace } from "@countersign/signatures/places";
import type { ReceiverCheck } from "../check.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import { receiverCheck } from "./receiver-check.ts";

const RECONCILE = "R-ONCE-RECONCILED";

const HOUR_MS = 3_600_000;
/** Most events that the receiver has missed. */
const MISSED = 8;

/** The receiver was down for an hour: its own command reads a list of the provider's events, which the check serves. */
export const reconciled: ReceiverCheck = receiverCheck({
  id: "receiver/reconciled",
  title:
    "an event that never arrived runs once by reconciliation, and not again when it arrives late",
  requirements: [RECONCILE],
  needs: ["effects"],
  inapplicable: ({ provider: { list, title }, reconcile }) => {
    if (list === undefined) return `${title} has no list of events`;
    if (list.bodies === false) return `${title}'s list of events has no bodies`;
    return reconcile === undefined
      ? "only reconciliation shows it: --reconcile-command"
      : undefined;
  },
  run: async (kit) => {
    const { target, expect } = kit;
    const at = kit.now() - HOUR_MS;
    const arrived = kit.event({ at });
    const missed = kit.events.rows.slice(0, MISSED).map((row) => kit.event({ row, at }));
    await kit.post(kit.attempt({ event: arrived }));
    const list = await serveList([arrived, ...missed], target.provider.list?.items ?? "body:");
    try {
      await target.reconcile?.(list.url);
    } finally {
      list.close();
    }
    const fed = await kit.waitForEffects(missed);
    if (fed === undefined) return;
    for (const event of missed) {
      const message = `${event.type}: never arrived, and after reconciliation its handler has run ${fed.count(event)} times`;
      expect(RECONCILE, fed.count(event) === 1, message);
    }
    const late = await kit.postAll(missed.map((event) => kit.attempt({ event })));
    const seen = await kit.postLastAndWaitForEffects();
    if (seen === undefined) return;
    for (const { event, reply } of late) {
      const answer = `${event.type}: reconciled, and its late delivery got ${reply.summary}`;
      expect(RECONCILE, reply.isAcknowledged, answer, reply);
    }
    for (const event of [arrived, ...missed]) {
      const ran = `${event.type}: delivered and reconciled, and its handler has run ${seen.count(event)} times`;
      expect(RECONCILE, seen.count(event) === 1, ran);
    }
  },
});

/** Serves a list of events, one page in the form of the provider's API, on a separate port. */
async function serveList(
  events: readonly TestEvent[],
  place: string,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const items: unknown = events.map(({ text }) => JSON.parse(text) as unknown);
  const page = parsePlace(place).members.reduceRight((value, name) => ({ [name]: value }), items);
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(page));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/events`,
    close: () => server.close().closeAllConnections(),
  };
}
