import type { Profile } from "@countersign/schemas/profiles";
import {
  createToken,
  findToken,
  integer,
  invalid,
  isObject,
  list,
  listEvents,
  object,
  oneOf,
  optional,
  readMembers,
  refuseIfWrong,
  sha256Hex,
  subscribe,
  text,
  unsubscribe,
  writtenTime,
  type BodyCall,
  type Reader,
  type Route,
  type Routes,
  type Signer,
} from "@countersign/service/internal";
import { faultRoutesOf } from "../faults.ts";
import { refuse } from "../refusals.ts";
import { parseData } from "../samples.ts";
import { time } from "../times.ts";
import { moveTo, type NamespaceParts } from "./namespaces.ts";
import { post, refuseMember } from "./call.ts";
import {
  anotherStage,
  done,
  newMerchant,
  state,
  type Given,
  type Stage,
  type State,
  type Values,
} from "./stage.ts";
import { cause, paymentStates } from "./state-steps.ts";

const SECRET = "a-secret-of-24-characters-or-more";

export interface StateParts extends NamespaceParts {
  readonly profile: Profile;
  /** Signs events requested as messages. */
  readonly sign: Signer;
}

/**
 * Provider states by Pact's convention: `POST /sandbox/states` with `{ state, params, action }`. A state begins
 * with a new merchant, whose credentials are in the answer, unless the parameter `accessToken` names one.
 * `POST /sandbox/messages` answers with the event of a state, as Pact's verifier asks for messages.
 */
export function stateRoutes(parts: StateParts): Routes {
  const states = {
    ...statesOf(parts),
    ...(parts.profile.payments === true && paymentStates(parts.profile)),
  };
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

function statesOf({ faults, profile }: StateParts): Readonly<Record<string, State>> {
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
        const accessToken = await createToken(context, {
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
    "a subscription": state({}, subscribeToAll),
    "a closed subscription": state({}, async (stage) => {
      const { subscriptionKey } = await subscribeToAll(stage);
      const subscriptionDetails = { type: "ALL" } as const;
      const order = { subscriptionId: subscriptionKey, subscriptionDetails };
      done(await unsubscribe(stage.context, stage.merchant, order));
      return { subscriptionKey };
    }),
    "a subscription of another merchant": state({}, async (stage) =>
      subscribeToAll(await anotherStage(stage)),
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
        route: oneOf(...faultRoutesOf(profile)),
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

/** Subscribes an address without a listener. */
async function subscribeToAll({ context, merchant }: Stage): Promise<{ subscriptionKey: string }> {
  const order = { url: "http://127.0.0.1:9/", secretKey: SECRET } as const;
  const subscriptionDetails = { type: "ALL" } as const;
  const made = await subscribe(context, merchant, { ...order, subscriptionDetails });
  if (!made.ok) throw refuseMember("/params", `cannot be done: ${made.code}`);
  return { subscriptionKey: made.subscriptionKey };
}
