import { isObject } from "../../http/body.ts";
import type { Routes } from "../../http/app.ts";
import {
  invalid,
  list,
  object,
  oneOf,
  optional,
  readMembers,
  refuseIfWrong,
  text,
  type Reader,
} from "../../http/readers.ts";
import type { BodyCall, Route } from "../../http/route.ts";
import { sha256Hex } from "../../secrets/vault.ts";
import { listEvents } from "../../store/tables/deliveries.ts";
import { findToken } from "../../store/tables/tokens.ts";
import type { Parts } from "../parts.ts";
import { refuse } from "../refusals.ts";
import { time } from "../times.ts";
import { post, refuseMember } from "./call.ts";
import { newStage, SECRET, statesOf, type Given, type Stage, type Values } from "./state-steps.ts";

/**
 * Provider states by Pact's convention: `POST /sandbox/states` with `{ state, params, action }`. A state begins
 * with a new merchant, whose credentials are in the answer, unless the parameter `accessToken` names one.
 * `POST /sandbox/messages` answers with the event of a state, as Pact's verifier asks for messages.
 */
export function stateRoutes(parts: Parts): Routes {
  const states = new Map(Object.entries(statesOf(parts)));
  const enter = async (
    call: BodyCall,
    name: string,
    given: Given = [{}, { pointer: "", numbers: new Map(), context: call.context, errors: [] }],
  ): Promise<[Stage, Values]> => {
    // Pact's verifier sends an empty name for an interaction without a state.
    const state = states.get(name === "" ? "a merchant" : name);
    if (state === undefined) throw refuse("STATE_NOT_FOUND");
    const [stage, opened] = await openStage(call, given);
    return [stage, { ...opened, ...(await state(stage, given)) }];
  };

  const message = async (call: BodyCall): ReturnType<Route["answer"]> => {
    const spec = { description: text(10_000), providerStates: list(object(named), 1) };
    const [first] = readMembers(call, spec).providerStates;
    const [{ context, merchant }, values] = await enter(call, first?.name ?? "", first?.params);
    const events = await listEvents(context.driver, { merchantId: merchant.id, limit: 10 });
    const event = events.find(({ id }) => id === values["eventId"]);
    // Only some states end in an event.
    if (event === undefined) throw refuse("STATE_NOT_FOUND");
    const { id, payload } = event;
    const timestamp = Math.floor(context.clock.now() / 1000);
    const signed = parts.sign({ id, timestamp, body: Buffer.from(payload) }, SECRET);
    const metadata = JSON.stringify({ contentType: "application/json", ...signed });
    const headers = { "pact-message-metadata": Buffer.from(metadata).toString("base64") };
    return { status: 200, body: payload, headers };
  };

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
          return (await enter(call, order.state, order.params))[1];
        },
      ),
    ],
    "/sandbox/messages": [{ method: "POST", scope: undefined, rate: "none", answer: message }],
  };
}

const params: Reader<Given> = (value, place) =>
  isObject(value) ? [value, place] : invalid(place, "must be an object");
const named = { name: text(255, { min: 0 }), params: optional(params) };

/** Returns the merchant that a state is about: that of the parameter `accessToken`, or a new one. */
async function openStage({ context }: BodyCall, [members, place]: Given): Promise<[Stage, Values]> {
  const { accessToken, now } = members;
  if (typeof accessToken === "string") {
    const found = await findToken(context.driver, sha256Hex(accessToken));
    if (found === undefined)
      throw refuseMember("/params/accessToken", "must be a merchant's access token");
    return [{ context, merchant: found.merchant }, { accessToken }];
  }
  const at = now === undefined ? undefined : time(now, place);
  refuseIfWrong(members, place);
  return newStage(context, at);
}
