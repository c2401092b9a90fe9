import {
  findToken,
  listEvents,
  sha256Hex,
  useCasesOf,
  writtenTime,
  type BodyCall,
  type Route,
  type Routes,
  type Signer,
} from "@countersign/service/internal";
import { faultRoutes } from "../faults.ts";
import {
  integer,
  invalid,
  isObject,
  list,
  object,
  oneOf,
  optional,
  readMembers,
  refuseIfWrong,
  text,
  type Members,
  type Place,
  type Reader,
  type Spec,
} from "../readers.ts";
import { refuse } from "../refusals.ts";
import { parseData } from "../samples.ts";
import { time } from "../times.ts";
import { moveTo, type NamespaceParts } from "./namespaces.ts";
import { post, refuseMember } from "./call.ts";
import {
  cents,
  cause,
  makeCustomer,
  makePayment,
  makeRefund,
  paymentStatuses,
  subscribeToAll,
  SECRET,
  type Stage,
} from "./state-steps.ts";

export interface StateParts extends NamespaceParts {
  /** Types of accounts of the profile. */
  readonly accountTypes: readonly string[];
  /** Signs events that are requested as messages. */
  readonly sign: Signer;
}

type Values = Readonly<Record<string, unknown>>;

/** A state's parameters as they came, and their place in the body. */
type Given = readonly [value: unknown, place: Place];

/** Enters a state. @returns Values for the expressions of pacts. */
type State = (stage: Stage, given: Given) => Promise<Values>;

/**
 * Provider states by Pact's convention: `POST /sandbox/states` with `{ state, params, action }`. A state begins
 * with a new merchant, whose credentials are in the answer, unless the parameter `accessToken` names one.
 * `POST /sandbox/messages` answers with the event of a state, as Pact's verifier asks for messages.
 */
export function stateRoutes(parts: StateParts): Routes {
  const states = statesOf(parts);
  const enter = async (call: BodyCall, name: string, given: Given): Promise<[Stage, Values]> => {
    // Pact's verifier sends an empty name for an interaction without a state.
    const found = new Map(Object.entries(states)).get(name === "" ? "a merchant" : name);
    if (found === undefined) throw refuse("STATE_NOT_FOUND");
    const [stage, opened] = await openStage(call, parts, given);
    return [stage, { ...opened, ...(await found(stage, given)) }];
  };
  const params: Reader<Given> = (value, place) =>
    isObject(value) ? [value, place] : invalid(place, "must be an object");
  const named = { name: text(255, { min: 0 }), params: optional(params) };

  const message = async (call: BodyCall): ReturnType<Route["answer"]> => {
    const spec = { description: text(10_000), providerStates: list(object(named), 1) };
    const [first] = readMembers(call, spec).providerStates;
    const [stage, { eventId }] = await enter(call, first?.name ?? "", first?.params ?? none(call));
    const { context, merchant } = stage;
    const events = await listEvents(context.driver, { merchantId: merchant.id, limit: 10 });
    const event = events.find(({ id }) => id === eventId);
    // Only some states end in an event.
    if (event === undefined) throw refuse("STATE_NOT_FOUND");
    const timestamp = Math.floor(context.clock.now() / 1000);
    const signed = parts.sign(
      { id: event.id, timestamp, body: Buffer.from(event.payload) },
      SECRET,
    );
    const metadata = JSON.stringify({ contentType: "application/json", ...signed });
    const headers = { "pact-message-metadata": Buffer.from(metadata).toString("base64") };
    return { status: 200, body: parseData(event.payload) ?? {}, headers };
  };
  const messages: Route = { method: "POST", scope: undefined, answer: message };

  return {
    "/sandbox/states": [
      post(
        200,
        {
          state: text(255, { min: 0 }),
          params: optional(params),
          action: optional(oneOf("setup", "teardown")),
        },
        async (call, order) => {
          if (order.action === "teardown") return {};
          return (await enter(call, order.state, order.params ?? none(call)))[1];
        },
      ),
    ],
    "/sandbox/messages": [messages],
  };
}

const none = ({ body, context }: BodyCall): Given => [
  {},
  { pointer: "/params", numbers: body.numbers, context, errors: [] },
];

/** Reads a state's own parameters and those of every state. */
function state<S extends Spec>(
  spec: S,
  enter: (stage: Stage, params: Members<S>) => Promise<Values>,
): State {
  return (stage, [value, place]) => {
    const read = object({ ...spec, ...common })(value, place);
    // `common` adds members and takes none of the state's own away.
    return enter(stage, refuseIfWrong(read, place) as Members<S>);
  };
}

const common = { accessToken: optional(text(4096)), now: optional(time) };

/** The merchant that a state is about. */
async function openStage(
  { context }: BodyCall,
  { clocks }: StateParts,
  [value, place]: Given,
): Promise<[Stage, Values]> {
  const members = isObject(value) ? value : {};
  const { accessToken } = members;
  if (typeof accessToken === "string") {
    const found = await findToken(context.driver, sha256Hex(accessToken));
    if (found === undefined)
      throw refuseMember("/params/accessToken", "must be a merchant's access token");
    return [{ context, clocks, merchant: found.merchant }, { accessToken }];
  }
  const now = members["now"] === undefined ? undefined : time(members["now"], place);
  refuseIfWrong(members, place);
  return newMerchant({ context, clocks }, now);
}

async function newMerchant(
  { context, clocks }: Omit<Stage, "merchant">,
  now: number | undefined,
): Promise<[Stage, Values]> {
  const { createMerchant, createToken } = useCasesOf(context);
  const scopes = Object.values(context.policy.token.scopes);
  const clock = { instant: now ?? context.clock.now() };
  const made = await createMerchant({ name: "Merchant of a state", clock, scopes });
  // Ids and secrets are new, so that none can be taken.
  if (!made.ok) throw new Error(made.code);
  const { merchant, clientId, clientSecret } = made;
  const order = { merchantId: merchant.id, clientId: null, scopes, lifetimeSeconds: null };
  const accessToken = await createToken(order);
  const basicCredentials = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  return [
    { context, clocks, merchant },
    { accessToken, clientId, clientSecret, basicCredentials },
  ];
}

function statesOf({ faults, accountTypes }: StateParts): Readonly<Record<string, State>> {
  const another = async (stage: Stage): Promise<Stage> => (await newMerchant(stage, undefined))[0];
  const paid = {
    customerId: optional(text(64)),
    amount: optional(text(20)),
    requestKey: optional(text(255)),
    clientReferenceId: optional(text(255)),
    settledAt: optional(time),
  };
  return {
    "a merchant": state({}, () => Promise.resolve({})),
    "a client": state({}, () => Promise.resolve({})),
    "a token": state(
      {
        scope: optional(oneOf("payments", "core")),
        ageSeconds: optional(integer(0, 100_000_000)),
      },
      async ({ context, merchant }, { scope, ageSeconds = 0 }) => {
        const { scopes, lifetimeSeconds } = context.policy.token;
        const accessToken = await useCasesOf(context).createToken({
          merchantId: merchant.id,
          clientId: null,
          scopes: scope === undefined ? Object.values(scopes) : [scopes[scope]],
          lifetimeSeconds: lifetimeSeconds - ageSeconds,
        });
        return { accessToken };
      },
    ),
    "the time": state({ to: optional(time) }, async (stage, { to }) => ({
      now: writtenTime((await moveTo(stage, (now) => to ?? now)).now),
    })),
    "a customer": state(
      {
        status: optional(oneOf("CREATED", "ACTIVE", "INACTIVE")),
        linked: optional((value) => (typeof value === "boolean" ? value : undefined)),
        firstName: optional(text(255)),
        lastName: optional(text(255)),
        email: optional(text(254)),
        financialInstitutionName: optional(text(255)),
        accountLastFourDigits: optional(text(4, { min: 4, pattern: /^\d{4}$/, words: "digits" })),
        accountType: optional(oneOf(...accountTypes)),
      },
      async (stage, order) => ({ customerId: await makeCustomer(stage, order) }),
    ),
    "a customer of another merchant": state({}, async (stage) => ({
      customerId: await makeCustomer(await another(stage), {}),
    })),
    "a payment": state({ status: oneOf(...paymentStatuses), ...paid }, (stage, order) =>
      makePayment(stage, order),
    ),
    "a payment of another merchant": state({}, async (stage) =>
      makePayment(await another(stage), { status: "settled" }),
    ),
    "a payment that is wholly refunded": state({}, async (stage) => {
      const made = await makePayment(stage, { status: "settled" });
      await makeRefund(stage, { ...made, amountCents: cents("80.00") });
      return made;
    }),
    "a debit with a requestKey": state({ requestKey: text(255) }, async (stage, order) => {
      await makePayment(stage, { status: "processing", ...order });
      return makePayment(stage, { status: "settled" });
    }),
    "the payment settles": state(
      { paymentId: text(64), settledAt: optional(time) },
      async ({ context, merchant }, order) =>
        moved(await useCasesOf(context).settlePayment(merchant, order)),
    ),
    "the payment fails": state(
      { paymentId: text(64), status: optional(oneOf("TERMINAL_FAILED", "CANCELED")) },
      async ({ context, merchant }, order) =>
        moved(await useCasesOf(context).failPayment(merchant, order)),
    ),
    "the payment is covered": state({ paymentId: text(64) }, async ({ context, merchant }, order) =>
      moved(await useCasesOf(context).coverPayment(merchant, order)),
    ),
    "a refund": state({}, async (stage) =>
      makeRefund(stage, await makePayment(stage, { status: "settled" })),
    ),
    "a refund with a requestKey": state({ requestKey: text(255) }, async (stage, order) => {
      const made = await makePayment(stage, { status: "settled" });
      await makeRefund(stage, { ...made, ...order });
      return made;
    }),
    "a subscription": state({}, subscribeToAll),
    "a closed subscription": state({}, async (stage) => {
      const { subscriptionKey } = await subscribeToAll(stage);
      const subscriptionDetails = { type: "ALL" } as const;
      const order = { subscriptionId: subscriptionKey, subscriptionDetails };
      moved(await useCasesOf(stage.context).unsubscribe(stage.merchant, order));
      return { subscriptionKey };
    }),
    "a subscription of another merchant": state({}, async (stage) =>
      subscribeToAll(await another(stage)),
    ),
    "all subscriptions are taken": state({}, async (stage) => {
      const { maxPerMerchant } = stage.context.policy.subscription;
      // oxlint-disable-next-line no-await-in-loop -- each locks the merchant
      for (let taken = 0; taken < maxPerMerchant; taken += 1) await subscribeToAll(stage);
      return {};
    }),
    "a body that is too large": state({}, ({ context }) =>
      Promise.resolve({ padding: "x".repeat(context.policy.limits.bodyBytes) }),
    ),
    "a merchant with rate limits": state({}, ({ merchant }) => {
      faults.limited.add(merchant.id);
      return Promise.resolve({});
    }),
    "a service in trouble": state(
      {
        route: oneOf(...faultRoutes),
        status: integer(400, 599),
        retryAfterSeconds: optional(integer(0, 86_400)),
      },
      ({ merchant }, fault) => {
        faults.set(merchant.id, [{ ...fault, kind: "status", times: 1 }]);
        return Promise.resolve({});
      },
    ),
    "an event": state(
      { type: text(255), optional: optional(oneOf("present", "absent")) },
      (stage, order) => cause(stage, order),
    ),
  };
}

function moved(
  outcome: { readonly ok: true } | { readonly ok: false; readonly code: string },
): Values {
  if (!outcome.ok) throw refuseMember("/params", `cannot be done: ${outcome.code}`);
  return {};
}
