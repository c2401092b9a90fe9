import type { Routes } from "../../http/app.ts";
import { list, optional, text } from "../../http/readers.ts";
import type { BodyCall } from "../../http/route.ts";
import { subscribe } from "../../use-cases/subscriptions.ts";
import { faultRoutes, MOST_FAULTS } from "../faults.ts";
import type { Parts } from "../parts.ts";
import { refuse } from "../refusals.ts";
import { get, post, refuseMember } from "../routes/call.ts";
import { writeSample } from "../routes/deliveries.ts";
import { sampleData, sampledRow } from "../samples.ts";
import { shownEvent } from "../shown.ts";
import { checkRoutes } from "./checks.ts";
import { inspectedEventRoutes } from "./events.ts";
import { signatureRoutes } from "./signatures.ts";

/** Attempts that fail in an outage. */
const OUTAGE = 2;

/** The page's calls beyond the controls, each about the namespace of the call's token. */
export const inspectRoutes = (parts: Parts): Routes => ({
  ...checkRoutes(parts.checks),
  ...inspectedEventRoutes(parts),
  ...signatureRoutes(parts),
  "/sandbox/inspect": [
    // The facts that every view of the page needs.
    get(async ({ context: { policy } }) => {
      const { catalogue, envelope, provider, hold } = policy;
      const types = Map.groupBy(catalogue, ({ type }) => type);
      return {
        mode: "sandbox",
        target: parts.target === undefined ? null : { url: new URL(parts.target.url).href },
        scheduleSeconds: parts.delivery.schedule.steps.map((step) => step / 1000),
        events: [...types].map(([type, [row]]) => ({ type, category: row?.category })),
        envelope,
        // The parts by which attempts are signed and read.
        provider: { ...provider, catalogue: undefined, sending: undefined },
        businessDays: hold.businessDays,
        faultRoutes,
        hasPayments: catalogue.some(({ kind = "" }) => /^(?:payment|refund)\./.test(kind)),
      };
    }),
  ],
  "/sandbox/inspect/samples": [
    // The data that an event of a type is sent with, to be edited first.
    post(200, { type: text(255) }, async ({ context }, { type }) => {
      const { policy, clock, random } = context;
      const row = sampledRow(policy.catalogue, type);
      if (row === undefined) throw refuse("UNKNOWN_EVENT");
      return { body: JSON.stringify(sampleData(row, { random, at: clock.now() })) };
    }),
  ],
  "/sandbox/inspect/outage": [
    // Sends an event whose first attempts get 500. Retries of other events do not use up the fault.
    post(201, { type: text(255) }, async (call, order) => {
      const fault = { route: "attempt", kind: "status", status: 500, times: OUTAGE } as const;
      const event = await writeSample(call, order);
      // Before the engine has read the delivery from the database. The oldest fault makes room.
      const faults = [...parts.faults.list(call.merchant.id), { ...fault, eventId: event.id }];
      parts.faults.set(call.merchant.id, faults.slice(-MOST_FAULTS));
      return shownEvent(event);
    }),
  ],
  "/sandbox/inspect/endpoints": [
    // Subscribes the address of the command line, or another one of this machine with a new secret, which only this
    // answer shows. A page that could name any address could attack every host that this machine reaches.
    post(
      201,
      {
        categories: optional(list(text(255), 100)),
        url: optional(text(2048)),
      },
      async (call, { url = parts.target?.url, categories: details = [] }) => {
        if (url === undefined) throw refuse("NO_TARGET");
        const own = url === parts.target?.url ? parts.target.secret : undefined;
        if (own === undefined && !isLoopback(url)) {
          const names = "http://localhost, http://127.0.0.1 or http://[::1]";
          throw refuseMember("/url", `must be an address of this machine: ${names}`);
        }
        const secretKey = own ?? newSecret(call);
        const outcome = await subscribe(call.context, call.merchant, {
          url,
          secretKey,
          subscriptionDetails:
            details.length === 0 ? { type: "ALL" } : { type: "CATEGORY", details },
        });
        if (!outcome.ok) throw refuse(outcome.code);
        const { subscriptionKey } = outcome;
        return { subscriptionKey, secretKey: own === undefined ? secretKey : null };
      },
    ),
  ],
});

/** True for the usual names and addresses of this machine; other names are not resolved. */
function isLoopback(url: string): boolean {
  const { protocol = "", hostname = "" } = URL.parse(url) ?? {};
  return /^https?:$/.test(protocol) && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

/** Returns a secret that the profile's scheme can sign with. */
function newSecret({ context: { policy, random } }: BodyCall): string {
  const secret = `whsec_${Buffer.from(random.bytes(32)).toString("base64")}`;
  if (policy.acceptsSecret(secret)) return secret;
  throw refuse("WEAK_SECRET");
}
