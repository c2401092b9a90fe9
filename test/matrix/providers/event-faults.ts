import { each, now, rewritten } from "./attempt-changes.ts";
import { eventOf, type Broken } from "./fault-kinds.ts";

/** What is wrong with what an event says. */
export const eventFaults: readonly Broken[] = [
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-CATALOGUE",
    what: "sends a type that its catalogue does not have",
    isQuick: true,
    delivery: rewritten((text) =>
      text.replace('"type":"account.linked"', '"type":"account.joined"'),
    ),
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-CATALOGUE",
    what: "takes the category from the type's first word",
    delivery: rewritten((text) =>
      text.replace(/("type":"refund\.\w+","category":)"PAYMENT"/, '$1"REFUND"'),
    ),
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-SCHEMA",
    what: "adds a member to its events",
    isQuick: true,
    delivery: rewritten((text) => text.replace(/^\{/, '{"version":1,')),
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-SCHEMA",
    what: "sends amounts as text",
    delivery: rewritten((text) => text.replace(/"value":([\d.]+)/, '"value":"$1"')),
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-SCHEMA",
    what: "sends amounts of more than two digits",
    delivery: rewritten((text) => text.replace(/"value":([\d.]+)/, '"value":$10000000000000001')),
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-SCHEMA",
    what: "leaves the milliseconds out of an event's time",
    delivery: rewritten((text) => text.replace(/("timestamp":"[^"]*)\.\d{3}Z"/, '$1Z"')),
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-SCHEMA",
    what: "names a member twice",
    delivery: each((attempt) => {
      if (eventOf(attempt).type !== "account.linked") return attempt;
      const text = attempt.body.toString().replace(/^\{/, '{"type":"account.linked",');
      const message = { id: eventOf(attempt).id, timestamp: now(), body: Buffer.from(text) };
      const headers = { ...attempt.headers, ...attempt.sign(message) };
      return { ...attempt, headers, body: message.body };
    }),
  },
];
