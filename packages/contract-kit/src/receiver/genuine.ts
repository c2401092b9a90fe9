import type { ReceiverCheck } from "../check.ts";
import { describeEffect } from "../harness/effects.ts";
import { eventShapes } from "../harness/event-shapes.ts";
import type { EventOrder } from "../harness/provider-events.ts";
import type { Sender } from "../harness/sender.ts";
import { diagnose } from "./diagnose.ts";
import { prepended } from "./forged-bodies.ts";
import {
  expectAccepted,
  expectRefused,
  type Genuine,
  isTypeOf,
  receiverCheck,
} from "./receiver-check.ts";

const GENUINE = "R-ACK-GENUINE";
const IN_TIME = "R-ACK-IN-TIME";
const ONE = "R-ROUTE-ONE";

export const genuine: ReceiverCheck = receiverCheck({
  id: "receiver/genuine",
  title: "a genuine attempt of every event type is acknowledged in time, and handled once",
  requirements: [GENUINE, IN_TIME, ONE],
  isFirst: true,
  run: async (sender) => {
    const { verdicts, target, events } = sender;
    const sent = await sender.postAll(
      events.rows.map((row) => sender.attempt(sender.event({ row }), { what: row.type })),
    );
    const acknowledged = sent.filter(({ reply }) => reply.isAcknowledged);
    for (const { reply } of sent)
      // A closed connection is not an answer, neither in time nor too late.
      if (reply.failure === undefined || reply.failure === "timeout")
        verdicts.expect(IN_TIME, reply.failure === undefined, () => reply.summary, [reply]);
    if (acknowledged.length === 0) {
      target.runState.diagnosis ??= diagnose(sender);
      const cause = await target.runState.diagnosis;
      const late = "no event of the first attempts was acknowledged, and later ones were";
      verdicts.fail(GENUINE, cause ?? late, [sent[0]?.reply]);
      return;
    }
    const seen = await sender.effects(acknowledged.map(({ event }) => event));
    verdicts.notApplicable(ONE, sender.noEffects());
    const known = acknowledged.filter(({ event }) => seen?.of(event) !== undefined);
    // Which types a vendor's receiver handles is not known: those that show no effect are left out.
    const isPartial = !target.handlesAll && known.length > 0;
    if (isPartial) {
      const types = new Set(known.map(({ event }) => event.type));
      events.rows = events.rows.filter((row) => types.has(row.type));
    }
    for (const { what, event, reply } of sent) {
      verdicts.expect(
        GENUINE,
        reply.isAcknowledged,
        () => reply.insteadOf(`${what}: expected a status of 2xx`),
        [reply],
      );
      if (seen === undefined || !reply.isAcknowledged) continue;
      const ran = seen.of(event);
      if (ran === undefined && isPartial) continue;
      if (ran?.count === 1) target.runState.handled.push(event);
      verdicts.expect(
        ONE,
        ran?.count === 1 && isTypeOf(event, ran.type),
        () =>
          ran === undefined
            ? `${what}: acknowledged, and no effect of it within ${target.effectsWaitMs} ms`
            : `${what}: expected one effect, got ${describeEffect(ran)}`,
        [reply],
      );
    }
  },
});

const UNKNOWN = "R-EVENT-UNKNOWN";
const EXACT = "R-MONEY-EXACT";
const PROTOTYPE = "R-ROUTE-PROTOTYPE";

/** Values drawn by the seed for each type. */
const DRAWS = 2;
/** Types that try one and the same place of a shared schema. */
const ROWS_A_PLACE = 2;

export const shapes: ReceiverCheck = receiverCheck({
  id: "receiver/shapes",
  title: "genuine events are accepted with every member, value and text that their schemas allow",
  requirements: [GENUINE, UNKNOWN, ONE, PROTOTYPE],
  isSearch: true,
  run: async (sender) => {
    const { seed, events, verdicts, target } = sender;
    const { rows } = events;
    const places = new Map<string, number>();
    // Many types share a resource: two of them, chosen by the seed, represent all.
    const isNew = (what: string): boolean => {
      const before = places.get(what) ?? 0;
      places.set(what, before + 1);
      return before < ROWS_A_PLACE || /^(?:with(?:out)? |drawn)/.test(what);
    };
    const first = (seed * ROWS_A_PLACE) % Math.max(1, rows.length);
    const cases = [...rows.slice(first), ...rows.slice(0, first)].flatMap((row) =>
      eventShapes(events, row, { seed, count: DRAWS })
        .filter(({ what }) => isNew(what))
        .map(({ what, base, isListed }): Genuine => ({
          ...sender.attempt(sender.event({ row, base }), { what: `${row.type} ${what}` }),
          requirement: isListed ? GENUINE : UNKNOWN,
        })),
    );
    verdicts.notApplicable(GENUINE, `no schema of an event of ${target.provider.title} is known`);
    await expectAccepted(sender, GENUINE, cases);
    if (!events.isOpen) {
      const reason = `${target.provider.title} has one type of event`;
      for (const one of [UNKNOWN, ONE, PROTOTYPE]) verdicts.notApplicable(one, reason);
      return;
    }
    await unknownTypes(sender);
    await prototypes(sender);
  },
});

/** Names that a careless comparison takes for another one. */
const MISSES: readonly ((name: string) => string)[] = [
  (name) => `${name}.cstest_Added-2`,
  (name) => `${name}x`,
  (name) => `x${name}`,
  (name) => name.replace(/[./_]/, "x"),
  (name) => name.slice(0, -1),
  (name) => name.toUpperCase(),
];

/** Events of unknown types are acknowledged, and no handler of another type runs for them. */
async function unknownTypes(sender: Sender): Promise<void> {
  const { events, verdicts, target } = sender;
  const [row] = events.rows;
  const unknown = (what: string, order: Partial<EventOrder>): Genuine =>
    sender.attempt(sender.event(order), { what: `an event of an unknown type${what}` });
  const known = new Set(events.rows.map(({ type }) => type));
  const near = events.rows
    .slice(0, 3)
    .flatMap(({ type }) => MISSES.map((miss) => events.withLastPart(type, miss)))
    .filter((type) => !known.has(type));
  const other = (name: string): string => events.withLastPart(row?.type ?? "", () => name);
  const { category } = target.provider.event;
  const isPlain = typeof category === "string" && category.startsWith("body:");
  const sent = await sender.postAll([
    unknown("", { type: other("cstest.added") }),
    unknown(" whose data is empty", { type: other("cstest.empty"), base: {} }),
    ...(isPlain
      ? [
          unknown(" in an unknown category", {
            type: "report.ready",
            more: { [category]: "REPORT" },
          }),
        ]
      : []),
    ...near.map((type) => unknown(`, ${type}`, { type })),
  ]);
  const more = sender.event({
    row,
    ...(events.isForm
      ? { more: { "form:cstestAdded": "any" } }
      : { base: JSON.parse(prepended(sender.event({ row }).text, MORE)) as unknown }),
  });
  const what = "an unknown member of the envelope";
  await expectAccepted(sender, UNKNOWN, [sender.attempt(more, { what })]);
  const seen = await sender.finalEffects();
  for (const { what: name, event, reply } of sent) {
    verdicts.expect(
      UNKNOWN,
      reply.isAcknowledged,
      () => `${name}: it is genuine, and was answered by ${reply.summary}`,
      [reply],
    );
    const ran = seen?.of(event);
    if (ran === undefined) continue;
    verdicts.expect(
      ONE,
      isTypeOf(event, ran.type) && ran.count === 1,
      () => `${name}: expected one run of the fallback, got ${describeEffect(ran)}`,
      [reply],
    );
  }
  verdicts.notApplicable(ONE, "no handler ran for an unknown type");
}

const MORE = '"cstestAdded":"any","api_version":"2030-01-01","attempt":1';

const NAMES =
  "constructor toString hasOwnProperty headerValue __proto__ __class__ prototype then".split(" ");

/** Names that every object of some languages has: as a type, and as members that libraries merge. */
async function prototypes(sender: Sender): Promise<void> {
  const { verdicts, events } = sender;
  sender.requirement = PROTOTYPE;
  const [plain, ...others] = await sender.postAll(
    ["cstest.plain", ...NAMES].map((name) => {
      const type = events.withLastPart(events.rows[0]?.type ?? "", () => name);
      return sender.attempt(sender.event({ type }));
    }),
  );
  const seen = await sender.finalEffects();
  if (plain === undefined) return;
  for (const { event, reply } of others) {
    const isAlike = seen?.count(event) === seen?.count(plain.event);
    verdicts.expect(
      PROTOTYPE,
      reply.status === plain.reply.status && isAlike,
      () => {
        const ran = isAlike ? "" : ", and other handlers ran";
        return `the type ${event.type}: expected ${plain.reply.summary} as for any unknown type, got ${reply.summary}${ran}`;
      },
      [reply],
    );
  }
  if (events.isForm || !sender.signing.covers.body) return;
  // What was merged into a prototype would show in every later request.
  const planted =
    '{"cstest":1,"test":true,"verified":true,"skipVerification":true,"debug":true,"handled":true,"duplicate":true,"status":204,"count":7,"amount":{"value":7}}';
  const polluted = [`"__proto__":${planted}`, `"constructor":{"prototype":${planted}}`].flatMap(
    (member) =>
      [/\{/, /(?<="data":\s?)\{/].map((place) =>
        sender.rewritten("an event with the member __proto__", (text) =>
          text.replace(place, `{${member},`),
        ),
      ),
  );
  const before = await sender.post(sender.unsigned());
  await sender.postAll(polluted);
  const after = "after events with the member __proto__";
  if (!before.isAcknowledged)
    await expectRefused(sender, PROTOTYPE, [
      { ...sender.unsigned(), what: `an unsigned attempt ${after}` },
    ]);
  const attempts = events.rows
    .slice(0, 3)
    .map((row) => sender.attempt(sender.event({ row }), { what: `${row.type} ${after}` }));
  await expectAccepted(sender, PROTOTYPE, attempts);
}

/** Amounts that binary fractions, and their products with 100, do not hit. */
const AMOUNTS = [
  ["0.01", "1"],
  ["0.29", "29"],
  ["0.57", "57"],
  ["1.1", "110"],
  ["1.10", "110"],
  ["4.35", "435"],
  ["8.2", "820"],
  ["19.99", "1999"],
  ["64.1", "6410"],
  ["1025.12", "102512"],
  ["99999999.99", "9999999999"],
] as const;

export const money: ReceiverCheck = receiverCheck({
  id: "receiver/money",
  title: "amounts reach a handler to the cent",
  requirements: [EXACT],
  isSearch: true,
  needsEffects: true,
  run: async (sender) => {
    const { verdicts, seed, events } = sender;
    const rows = events.rows.filter(({ kind }) => kind?.startsWith("payment."));
    if (rows.length === 0) {
      verdicts.notApplicable(EXACT, "no event of the provider has an amount that is known");
      return;
    }
    const drawn = Array.from({ length: 10 }, (_, index) => {
      const cents = ((seed * 7_919_011 + index * 104_729) % 999_999) + 1;
      return [(cents / 100).toFixed(2), String(cents)] as const;
    });
    const data = { amount: { currency: "USD", value: "cstest" } };
    const sent = await sender.postAll(
      [...AMOUNTS, ...drawn].map(([text, cents], index) => {
        const event = sender.event({ row: rows[index % rows.length], data });
        const body = event.text.replace('"cstest"', text);
        return { ...sender.attempt(event, { body }), text, cents };
      }),
    );
    const accepted = sent.filter(({ reply }) => reply.isAcknowledged);
    const seen = await sender.effects(accepted.map(({ event }) => event));
    for (const { text, cents, event, reply } of sent) {
      const got = seen?.of(event)?.amountCents;
      if (got === undefined) continue;
      verdicts.expect(
        EXACT,
        got === cents,
        () => {
          return `${text} dollars: expected ${cents} cents at the handler, got ${got}`;
        },
        [reply],
      );
    }
    verdicts.notApplicable(EXACT, "its effects have no amountCents");
  },
});
