import {
  flag,
  integer,
  object,
  oneOf,
  optional,
  refuseIfWrong,
  text,
  type Members,
  type Place,
  type Spec,
} from "../../http/readers.ts";
import type { Call } from "../../http/route.ts";
import { listEvents } from "../../store/tables/deliveries.ts";
import { coverPayment, failPayment, settlePayment } from "../../use-cases/payments.ts";
import { writtenTime } from "../../use-cases/resources.ts";
import { subscribe, unsubscribe } from "../../use-cases/subscriptions.ts";
import { createToken } from "../../use-cases/tokens.ts";
import { faultRoutes } from "../faults.ts";
import type { Parts } from "../parts.ts";
import {
  cents,
  done,
  happen,
  makeCustomer,
  makePayment,
  makeRefund,
  paymentStatuses,
} from "../records.ts";
import { sampledRow } from "../samples.ts";
import { time } from "../times.ts";
import { refuseMember } from "./call.ts";
import { writeSample } from "./deliveries.ts";
import { createNamespace, moveTo } from "./namespaces.ts";

/** The merchant of a provider state, and what changes it. */
export type Stage = Pick<Call, "context" | "merchant">;

export type Values = Readonly<Record<string, unknown>>;

/** A state's raw parameters, and their place in the body. */
export type Given = readonly [members: Values, place: Place];

/** Enters a state. @returns Values for the expressions of pacts. */
export type State = (stage: Stage, given: Given) => Promise<Values>;

/** Signs messages and the attempts of subscriptions. */
export const SECRET = "a-secret-of-24-characters-or-more";

/** Makes a merchant, and returns its credentials. */
export async function newStage(context: Call["context"], now?: number): Promise<[Stage, Values]> {
  const { merchant, ...credentials } = await createNamespace(context, { name: "State", now });
  const { clientId, clientSecret } = credentials;
  const basicCredentials = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  return [
    { context, merchant },
    { ...credentials, basicCredentials },
  ];
}

const common = { accessToken: optional(text(4096)), now: optional(time) };

/** Reads a state's own parameters and those of every state. */
function state<S extends Spec>(
  spec: S,
  enter: (stage: Stage, params: Members<S>) => Promise<Values> | Values,
): State {
  return async (stage, [members, place]) => {
    const read = object({ ...spec, ...common })(members, place);
    // `common` adds members and removes none of the state's.
    return enter(stage, refuseIfWrong(read, place) as Members<S>);
  };
}

/** Enters a state of another merchant. */
const ofAnother = (enter: (stage: Stage) => Promise<Values>): State =>
  state({}, async ({ context }) => enter((await newStage(context))[0]));

const paymentId = text(64);

/** The states by name. */
export function statesOf({ clocks, faults, profile }: Parts): Readonly<Record<string, State>> {
  return {
    "a merchant": state({}, () => ({})),
    "a client": state({}, () => ({})),
    "a token": state(
      { scope: optional(oneOf("payments", "core")), ageSeconds: optional(integer(0, 100_000_000)) },
      async ({ context, merchant }, { scope, ageSeconds = 0 }) => {
        const { scopes, lifetimeSeconds } = context.policy.token;
        const accessToken = await createToken(context, {
          merchantId: merchant.id,
          clientId: null,
          scopes: scope === undefined ? Object.values(scopes) : [scopes[scope]],
          lifetimeSeconds: lifetimeSeconds - ageSeconds,
        });
        return { accessToken };
      },
    ),
    "the time": state({ to: optional(time) }, async ({ merchant }, { to }) => ({
      now: writtenTime((await moveTo({ clocks, merchant }, (now) => to ?? now)).now),
    })),
    "a subscription": state({}, subscribeToAll),
    "a subscription of another merchant": ofAnother(subscribeToAll),
    "a closed subscription": state({}, async (stage) => {
      const { subscriptionKey } = await subscribeToAll(stage);
      const order = { subscriptionId: subscriptionKey, subscriptionDetails: ALL };
      done(await unsubscribe(stage.context, stage.merchant, order));
      return { subscriptionKey };
    }),
    "all subscriptions are taken": state({}, async (stage) => {
      const { maxPerMerchant } = stage.context.policy.subscription;
      // oxlint-disable-next-line no-await-in-loop -- each locks the merchant
      for (let taken = 0; taken < maxPerMerchant; taken += 1) await subscribeToAll(stage);
      return {};
    }),
    "a body that is too large": state({}, ({ context }) => ({
      padding: "x".repeat(context.policy.limits.bodyBytes),
    })),
    "a merchant with rate limits": state({}, ({ merchant }) => {
      faults.limited.add(merchant.id);
      return {};
    }),
    "a service in trouble": state(
      {
        route: oneOf(...faultRoutes),
        status: integer(400, 599),
        retryAfterSeconds: optional(integer(0, 86_400)),
      },
      ({ merchant }, fault) => {
        faults.set(merchant.id, [{ ...fault, kind: "status", times: 1 }]);
        return {};
      },
    ),
    "an event": state(
      { type: text(255), optional: optional(oneOf("present", "absent")) },
      (stage, order) => cause(stage, order.type, order.optional === "present"),
    ),
    "a customer": state(
      {
        status: optional(oneOf("CREATED", "ACTIVE", "INACTIVE")),
        linked: optional(flag),
        firstName: optional(text(255)),
        lastName: optional(text(255)),
        email: optional(text(254)),
        financialInstitutionName: optional(text(255)),
        accountLastFourDigits: optional(text(4, { min: 4, pattern: /^\d{4}$/, words: "digits" })),
        accountType: optional(oneOf(...profile.account.types)),
      },
      async (stage, order) => ({ customerId: await makeCustomer(stage, order) }),
    ),
    "a customer of another merchant": ofAnother(async (stage) => ({
      customerId: await makeCustomer(stage, {}),
    })),
    "a payment": state(
      {
        status: oneOf(...paymentStatuses),
        customerId: optional(text(64)),
        amount: optional(text(20)),
        requestKey: optional(text(255)),
        clientReferenceId: optional(text(255)),
        settledAt: optional(time),
      },
      (stage, order) => makePayment(stage, order),
    ),
    "a payment of another merchant": ofAnother(settled),
    "a payment that is wholly refunded": state({}, async (stage) => {
      const made = await settled(stage);
      await makeRefund(stage, { ...made, amountCents: cents("80.00") });
      return made;
    }),
    "a debit with a requestKey": state({ requestKey: text(255) }, async (stage, order) => {
      await makePayment(stage, { status: "processing", ...order });
      return settled(stage);
    }),
    "the payment settles": state(
      { paymentId, settledAt: optional(time) },
      async ({ context, merchant }, order) => done(await settlePayment(context, merchant, order)),
    ),
    "the payment fails": state(
      { paymentId, status: optional(oneOf("TERMINAL_FAILED", "CANCELED")) },
      async ({ context, merchant }, order) => done(await failPayment(context, merchant, order)),
    ),
    "the payment is covered": state({ paymentId }, async ({ context, merchant }, order) =>
      done(await coverPayment(context, merchant, order)),
    ),
    "a refund": state({}, async (stage) => makeRefund(stage, await settled(stage))),
    "a refund with a requestKey": state({ requestKey: text(255) }, async (stage, order) => {
      const made = await settled(stage);
      await makeRefund(stage, { ...made, ...order });
      return made;
    }),
  };
}

const settled = (stage: Stage) => makePayment(stage, { status: "settled" });

const ALL = { type: "ALL" } as const;

/** Subscribes an address without a listener. */
async function subscribeToAll({ context, merchant }: Stage) {
  const order = { url: "http://127.0.0.1:9/", secretKey: SECRET, subscriptionDetails: ALL };
  const made = await subscribe(context, merchant, order);
  if (!made.ok) throw refuseMember("/params", `cannot be done: ${made.code}`);
  return { subscriptionKey: made.subscriptionKey };
}

/**
 * Causes something whose last event is of the type. A type that this service never emits is written as
 * a sample.
 *
 * @param isFull True if the data's optional members are present.
 */
async function cause(stage: Stage, type: string, isFull: boolean): Promise<Values> {
  const { context, merchant } = stage;
  const kind = sampledRow(context.policy.catalogue, type)?.kind;
  if (kind === undefined) return { eventId: (await writeSample(stage, { type })).id };
  const ids = await happen(stage, kind, isFull);
  // Other calls may cause events of the type concurrently.
  const events = await listEvents(context.driver, { merchantId: merchant.id, limit: 1000 });
  const id = String(ids["paymentId"] ?? ids["customerId"]);
  const eventId = events.find((event) => event.type === type && event.payload.includes(id))?.id;
  return { ...ids, eventId };
}
