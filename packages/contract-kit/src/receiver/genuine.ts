import type { ReceiverCheck } from "../check.ts";
import type { Sender } from "../harness/attempt-sender.ts";
import { describeEffect } from "../harness/effects.ts";
import { type Genuine, expectRefused, expectAccepted, receiverCheck } from "./receiver-check.ts";
import { diagnose } from "./diagnose.ts";

const GENUINE = "R-ACK-GENUINE";
const IN_TIME = "R-ACK-IN-TIME";
const ONE = "R-ROUTE-ONE";

export const genuine: ReceiverCheck = receiverCheck({
  id: "receiver/genuine",
  title: "a genuine attempt of every event type is acknowledged in time, and handled once",
  requirements: [GENUINE, IN_TIME, ONE],
  isFirst: true,
  run: async (sender) => {
    const { verdicts, target } = sender;
    const sent = await sender.postAll(
      target.profile.catalogue.map((row) =>
        sender.attempt(sender.event({ row }), { what: row.type }),
      ),
    );
    const acknowledged = sent.filter(({ reply }) => reply.isAcknowledged);
    for (const { reply } of sent)
      // A closed connection is not an answer, neither in time nor too late.
      if (reply.failure === undefined || reply.failure === "timeout")
        verdicts.expect(IN_TIME, reply.failure === undefined, () => reply.summary, [reply]);
    if (acknowledged.length === 0) {
      target.runState.diagnosis ??= diagnose(sender);
      const cause = await target.runState.diagnosis;
      verdicts.fail(
        GENUINE,
        cause ?? "no event of the first attempts was acknowledged, and later ones were",
        [sent[0]?.reply],
      );
      return;
    }
    const seen = await sender.effects(acknowledged.map(({ event }) => event.id));
    verdicts.notApplicable(ONE, sender.noEffects());
    const expected = target.profile.sending.success;
    for (const { what, event, reply } of sent) {
      verdicts.expect(
        GENUINE,
        reply.isAcknowledged,
        () => reply.insteadOf(`${what}: expected ${expected}`),
        [reply],
      );
      if (seen === undefined || !reply.isAcknowledged) continue;
      const ran = seen.get(event.id);
      if (ran?.count === 1) target.runState.handled.push(event);
      verdicts.expect(
        ONE,
        ran?.count === 1 && ran.type === event.type,
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
  requirements: [GENUINE, UNKNOWN, PROTOTYPE],
  isSearch: true,
  run: async (sender) => {
    const { target, seed } = sender;
    const { catalogue } = target.profile;
    const places = new Map<string, number>();
    // Many types share a resource: two of them, chosen by the seed, represent all.
    const isNew = (what: string): boolean => {
      const before = places.get(what) ?? 0;
      places.set(what, before + 1);
      return before < ROWS_A_PLACE || /^(?:with(?:out)? |drawn)/.test(what);
    };
    const first = (seed * ROWS_A_PLACE) % Math.max(1, catalogue.length);
    const cases = [...catalogue.slice(first), ...catalogue.slice(0, first)].flatMap((row) =>
      target.events
        .shapes(row, { seed, count: DRAWS })
        .filter(({ what }) => isNew(what))
        .map(({ what, base, isListed }): Genuine => ({
          ...sender.attempt(sender.event({ row, base }), { what: `${row.type} ${what}` }),
          requirement: isListed ? GENUINE : UNKNOWN,
        })),
    );
    await expectAccepted(sender, GENUINE, cases);
    await expectAccepted(sender, UNKNOWN, additions(sender));
    await prototypes(sender);
  },
});

function additions(sender: Sender): readonly Genuine[] {
  const { catalogue, envelope } = sender.target.profile;
  const [row] = catalogue;
  const category = envelope.category?.slice(1) ?? "";
  const isPlain = category !== "" && !category.includes("/");
  const unknown = (how: string, order: Parameters<Sender["event"]>[0]): Genuine => {
    const attempt = sender.attempt(sender.event(order), {
      what: `an event of an unknown type${how}`,
    });
    return { ...attempt, isUnhandled: true };
  };
  const more = { cstestAdded: "any", api_version: "2030-01-01", attempt: 1 };
  const report = { type: "report.ready", more: { [category]: "REPORT" } };
  return [
    unknown("", { type: "cstest.added" }),
    unknown(" with many parts", { type: `${row?.type ?? "cstest"}.cstest_Added-2` }),
    unknown(" whose data is empty", { type: "cstest.empty", base: {} }),
    ...(isPlain ? [unknown(" in an unknown category", report)] : []),
    sender.attempt(sender.event({ row, more }), { what: "an unknown member of the envelope" }),
  ];
}

const NAMES =
  "constructor toString hasOwnProperty valueOf __proto__ __class__ prototype then".split(" ");

/** Names that every object of some languages has: as a type, and as members that libraries merge. */
async function prototypes(sender: Sender): Promise<void> {
  const { verdicts, target } = sender;
  sender.requirement = PROTOTYPE;
  const [plain, ...others] = await sender.postAll(
    ["cstest.plain", ...NAMES].map((type) => sender.attempt(sender.event({ type }))),
  );
  const seen = await sender.finalEffects();
  if (plain === undefined) return;
  for (const { event, reply } of others) {
    const isAlike = seen?.get(event.id)?.count === seen?.get(plain.event.id)?.count;
    verdicts.expect(
      PROTOTYPE,
      reply.status === plain.reply.status && isAlike,
      () => {
        const more = isAlike ? "" : ", and other handlers ran";
        return `the type ${event.type}: expected ${plain.reply.summary} as for any unknown type, got ${reply.summary}${more}`;
      },
      [reply],
    );
  }
  // What was merged into a prototype would show in every later request.
  const planted =
    '{"cstest":1,"test":true,"verified":true,"skipVerification":true,"debug":true,"handled":true,"duplicate":true,"status":204,"count":7,"amount":{"value":7}}';
  const polluted = [`"__proto__":${planted}`, `"constructor":{"prototype":${planted}}`].flatMap(
    (member) =>
      [/\{/, /(?<="data":)\{/].map((place) =>
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
  const attempts = target.profile.catalogue
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
  run: async (sender) => {
    const { verdicts, target, seed } = sender;
    const rows = target.profile.catalogue.filter(({ kind }) => kind?.startsWith("payment."));
    if (rows.length === 0)
      return verdicts.notApplicable(EXACT, "no event of the profile has an amount");
    if (target.effects === undefined) return verdicts.notApplicable(EXACT, sender.noEffects());
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
    const taken = sent.filter(({ reply }) => reply.isAcknowledged);
    const seen = await sender.effects(taken.map(({ event }) => event.id));
    for (const { text, cents, event, reply } of sent) {
      const got = seen?.get(event.id)?.amountCents;
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
    return verdicts.notApplicable(EXACT, "its effects have no amountCents");
  },
});
