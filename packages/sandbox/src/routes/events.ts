import {
  faultAt,
  instantOf,
  listEvents,
  refuseMembers,
  writeEvent,
  type BodyCall,
  type EventKind,
  type Route,
} from "@countersign/service";
import { listLimit } from "../list-limit.ts";
import { invalid, optional, readMembers, required, text, type Reader } from "../members.ts";
import { sampleData } from "../sample-data.ts";
import { withSourceNumbers } from "../source-numbers.ts";
import { shownEvent } from "../shown.ts";

/** `GET /sandbox/events`: the newest first, each with the text that is signed and sent. */
export const getEvents: Route = {
  method: "GET",
  scope: undefined,
  answer: async (call) => {
    const named = { merchantId: call.merchant.id, limit: listLimit(call) };
    const events = await listEvents(call.context.driver, named);
    return { status: 200, body: { events: events.map(shownEvent) } };
  },
};

/**
 * `POST /sandbox/events`: writes an event of the catalogue that nothing has happened for, with `data`
 * as it is sent or a sample, and delivers it like any other.
 */
export const postEvent: Route = {
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    const { context, merchant, body } = call;
    const order = readMembers(body, { type: required(text({ max: 255 })), data: optional(data) });
    const { events } = context.policy;
    const row = events.catalogue.find(({ type }) => type === order.type);
    if (row === undefined) throw refuseMembers([faultAt(context, "/type", "UNKNOWN_EVENT")]);

    const kind = kindOf(call, row.type);
    // Under the name that was asked for, also one that this service has no moment for.
    const policy = { ...context.policy, events: { ...events, named: () => row } };
    const event = await context.driver.transaction(async (tx) => {
      const at = await instantOf(tx, context.clock, merchant.clockId);
      const sent = order.data ?? sampleData[kind]({ random: context.random, at });
      return writeEvent(tx, { ...context, policy }, merchant, { kind, data: sent, at });
    });
    if (event === undefined) throw new Error("the catalogue's row is no event");
    context.onWork();
    return { status: 201, body: shownEvent(event) };
  },
};

const data: Reader<object> = (value, { pointer, numbers }) => {
  const sent = withSourceNumbers(value, pointer, numbers);
  return typeof sent === "object" && sent !== null && !Array.isArray(sent)
    ? { ok: true, value: sent }
    : invalid(pointer, "must be an object");
};

/** The moment that the profile gives this name, or one of a similar resource. */
function kindOf({ context }: BodyCall, type: string): EventKind {
  // The keys of a record by kind are the kinds.
  const kinds = Object.keys(sampleData) as EventKind[];
  const named = kinds.find((kind) => context.policy.events.named(kind)?.type === type);
  return named ?? "payment.created";
}
