import { customerTransitions } from "@countersign/rules";
import { senderOf } from "@countersign/schemas/provider-of";
import type { ProviderDocument } from "@countersign/schemas/providers";
import {
  faultAt,
  list,
  listSubscriptionHealth,
  moveClock,
  object,
  oneOf,
  optional,
  pauseSubscription,
  refuseMembers,
  subscribe,
  text,
  writtenTime,
  type BodyCall,
  type DeliveryPolicy,
  type Merchant,
  type NamespaceClocks,
  type Routes,
} from "@countersign/service/internal";
import { faultRoutesOf, type Faults } from "../faults.ts";
import { refuse } from "../refusals.ts";
import { get, nowOf, parameter, post, refuseMember } from "../routes/call.ts";
import { shownSubscription, writeSample } from "../routes/deliveries.ts";
import { deleteEvents, emptyNamespace } from "../routes/namespaces.ts";
import { sowRecords, TWO_WEEKS_MS } from "../seed.ts";
import { shownEvent } from "../shown.ts";
import type { Streams } from "../streams.ts";
import { checkRoutes, type CheckRuns } from "./checks.ts";
import { inspectedEventRoutes, namedEvents } from "./events.ts";
import { outcomeRoutes, type Outcomes } from "./outcomes.ts";
import type { InspectorOptions } from "./page.ts";
import { dueRoutes, inspectedPaymentRoutes } from "./payments.ts";
import { signatureRoutes, type SigningParts } from "./signatures.ts";
import type { Wires } from "./wires.ts";

/** Attempts that fail in an outage. */
const OUTAGE = 2;

export interface InspectParts {
  readonly delivery: DeliveryPolicy;
  readonly outcomes: Outcomes;
  readonly wires: Wires;
  readonly streams: Streams;
  readonly clocks: NamespaceClocks;
  readonly faults: Faults;
  readonly target: InspectorOptions["target"];
  /** Subscribes the target again, if there is one. */
  readonly subscribeTarget: (merchant: Merchant) => Promise<void>;
  /** Called when a namespace has lost its events. */
  readonly onReset: (merchantId: string) => void;
  /** `undefined` without a target, or with nothing to run. */
  readonly checks: CheckRuns | undefined;
}

/** The page's calls beyond the controls, each about the namespace of the call's token. */
export function inspectRoutes(signing: SigningParts, parts: InspectParts): Routes {
  const { profile } = signing;
  const { catalogue, envelope, provider } = senderOf(profile);
  const { delivery, target } = parts;
  const hasRecords = (name: string): boolean =>
    profile.payments === true && catalogue.some(({ kind = "" }) => kind.startsWith(`${name}.`));
  return {
    ...checkRoutes(parts.checks, target !== undefined),
    ...inspectedEventRoutes(signing, parts),
    ...outcomeRoutes(parts.outcomes, parts.streams),
    ...dueRoutes,
    ...(profile.payments === true && inspectedPaymentRoutes(profile)),
    ...signatureRoutes(signing),
    ...endpointRoutes(target),
    "/sandbox/inspect": [
      // The facts that every view of the page needs.
      get(async ({ context, merchant }) => ({
        merchantId: merchant.id,
        profile: profile.name,
        target: target === undefined ? null : { url: new URL(target.url).href },
        scheduleSeconds: delivery.schedule.steps.map((step) => step / 1000),
        deadlineSeconds: delivery.deadlineMs / 1000,
        events: namedEvents(catalogue),
        envelope,
        accountTypes: profile.account.types,
        provider: withoutEvents(provider),
        businessDays: context.policy.hold.businessDays,
        faultRoutes: faultRoutesOf(profile),
        hasPayments: hasRecords("payment") || hasRecords("refund"),
        hasCustomers: hasRecords("customer") || hasRecords("account"),
        customerMoves: customerTransitions.map(({ from, to }) => ({ from: from ?? null, to })),
      })),
    ],
    "/sandbox/inspect/outage": [
      // Sends an event whose first attempts get 500. Retries of other events do not use up the fault.
      post(201, { type: text(255) }, async (call, order) => {
        const fault = { route: "attempt", kind: "status", status: 500, times: OUTAGE } as const;
        const event = await writeSample(call, order, (eventId) =>
          parts.faults.add(call.merchant.id, { ...fault, eventId }),
        );
        return shownEvent(event);
      }),
    ],
    "/sandbox/inspect/reset": [
      // Deletes the events, or everything, with or without new sample data. The target stays subscribed.
      post(200, { what: oneOf("events", "samples", "everything") }, async (call, { what }) => {
        const { context, merchant } = call;
        const { driver } = context;
        const now = what === "events" ? await nowOf(call) : context.clock.now();
        await parts.clocks.betweenMoves(merchant.clockId, async () => {
          if (what === "events") {
            await driver.transaction((tx) => deleteEvents(tx, merchant));
            return;
          }
          const isSown = what === "samples" && profile.payments === true;
          const start = isSown ? now - TWO_WEEKS_MS : now;
          await driver.transaction((tx) => emptyNamespace(tx, merchant, start));
          if (isSown) await sowRecords(context, merchant, now);
          await driver.transaction((tx) => moveClock(tx, { id: merchant.clockId, instant: now }));
          await parts.subscribeTarget(merchant);
          parts.faults.set(merchant.id, []);
        });
        parts.onReset(merchant.id);
        return { now: writtenTime(now) };
      }),
    ],
  };
}

function endpointRoutes(target: InspectorOptions["target"]): Routes {
  return {
    "/sandbox/inspect/endpoints": [
      // Open subscriptions, oldest first, with the counts of their deliveries.
      get(async ({ context: { driver }, merchant }) => {
        const filter = { merchantId: merchant.id, limit: 1000 };
        const all = (await listSubscriptionHealth(driver, filter)).toReversed();
        const rows = await driver.query<{ key: string; state: string; count: number }>(
          `SELECT subscription_key AS key, state, count(*) AS count FROM deliveries
            WHERE merchant_id = $1 GROUP BY 1, 2`,
          [merchant.id],
        );
        const counts = Map.groupBy(rows, ({ key }) => key);
        const open = all.filter(({ status }) => status !== "CLOSED");
        return {
          endpoints: open.map((one) => ({
            ...shownSubscription(one),
            isTarget: target !== undefined && one.url === new URL(target.url).href,
            counts: Object.fromEntries(
              (counts.get(one.key) ?? []).map(({ state, count }) => [state, count]),
            ),
          })),
        };
      }),
      // Subscribes the address of the command line, or another one of this machine with a new secret, which only this
      // answer shows. A page that could name any address could attack every host that this machine reaches.
      post(
        201,
        {
          subscriptionDetails: object({
            type: oneOf("EVENT", "CATEGORY", "ALL"),
            details: optional(list(text(255), 100)),
          }),
          url: optional(text(2048)),
        },
        async (call, { url = target?.url, subscriptionDetails: { type, details = [] } }) => {
          if (url === undefined) throw refuse("NO_TARGET");
          const isTarget = url === target?.url;
          if (!isTarget && !isLoopback(url)) {
            const names = "http://localhost, http://127.0.0.1 or http://[::1]";
            throw refuseMember("/url", `must be an address of this machine: ${names}`);
          }
          const secretKey = isTarget ? target.secret : newSecret(call);
          const outcome = await subscribe(call.context, call.merchant, {
            url,
            secretKey,
            subscriptionDetails: type === "ALL" ? { type } : { type, details },
          });
          if (outcome.ok) {
            const { subscriptionKey } = outcome;
            return { subscriptionKey, secretKey: isTarget ? null : secretKey };
          }
          if (outcome.code !== "UNKNOWN_EVENT") throw refuse(outcome.code);
          throw refuseMembers(
            outcome.at.map((place) =>
              faultAt(
                call.context,
                `/subscriptionDetails/details/${String(place)}`,
                "UNKNOWN_EVENT",
              ),
            ),
          );
        },
      ),
    ],
    "/sandbox/inspect/endpoints/:subscriptionKey/pause": [
      post(200, {}, async (call) => {
        const order = { key: parameter(call, "subscriptionKey"), isPaused: true };
        const merchantId = call.merchant.id;
        const outcome = await pauseSubscription(call.context, { ...order, merchantId });
        if (!outcome.ok) throw refuse(outcome.code);
        return {};
      }),
    ],
  };
}

/** The parts of a document by which attempts are signed and read. */
function withoutEvents(provider: ProviderDocument): object {
  return { ...provider, catalogue: undefined, sending: undefined };
}

/** True for the usual names and addresses of this machine; other names are not resolved. */
function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return /^https?:$/.test(protocol) && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

/** Returns a secret that the profile's scheme can sign with. */
function newSecret({ context: { policy, random } }: BodyCall): string {
  const secret = `whsec_${Buffer.from(random.bytes(32)).toString("base64")}`;
  if (policy.acceptsSecret(secret)) return secret;
  throw refuse("WEAK_SECRET");
}
