import type { ReceiverCheck } from "../../check.ts";
import type { Bench } from "../../harness/bench.ts";
import { effectsSaid } from "../../harness/effects.ts";
import { type Genuine, mustRefuse, mustTake, receiverCheck } from "../../harness/play.ts";
import { diagnose } from "../../harness/triage.ts";

const GENUINE = "R-ACK-GENUINE";
const IN_TIME = "R-ACK-IN-TIME";
const ONE = "R-ROUTE-ONE";

export const genuine: ReceiverCheck = receiverCheck({
  id: "receiver/genuine",
  title: "a genuine attempt of every event type is acknowledged in time, and handled once",
  requirements: [GENUINE, IN_TIME, ONE],
  isFirst: true,
  play: async (bench) => {
    const { docket, target } = bench;
    const sent = await bench.postAll(
      target.profile.catalogue.map((row) =>
        bench.attempt(bench.event({ row }), { what: row.type }),
      ),
    );
    const acknowledged = sent.filter(({ reply }) => reply.isAcknowledged);
    for (const { reply } of sent)
      // A closed connection is not an answer, neither in time nor too late.
      if (reply.failure === undefined || reply.failure === "timeout")
        docket.judge(IN_TIME, reply.failure === undefined, [reply], () => reply.said);
    if (acknowledged.length === 0) {
      target.notebook.diagnosis ??= diagnose(bench);
      const cause = await target.notebook.diagnosis;
      docket.judge(GENUINE, false, [sent[0]?.reply], () => {
        return cause ?? "no event of the first attempts was acknowledged, and later ones were";
      });
      return;
    }
    const seen = await bench.effects(acknowledged.map(({ event }) => event.id));
    docket.unseen(ONE, bench.noEffects());
    const expected = target.profile.sending.success;
    for (const { what, event, reply } of sent) {
      docket.answered(GENUINE, reply.isAcknowledged, reply, `${what}: expected ${expected}`);
      if (seen === undefined || !reply.isAcknowledged) continue;
      const ran = seen.get(event.id);
      if (ran?.count === 1) target.notebook.handled.push(event);
      docket.judge(ONE, ran?.count === 1 && ran.type === event.type, [reply], () =>
        ran === undefined
          ? `${what}: acknowledged, and no effect of it within ${target.effectsWaitMs} ms`
          : `${what}: expected one effect, got ${effectsSaid(ran)}`,
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
  play: async (bench) => {
    const { target, seed } = bench;
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
          ...bench.attempt(bench.event({ row, base }), { what: `${row.type} ${what}` }),
          requirement: isListed ? GENUINE : UNKNOWN,
        })),
    );
    await mustTake(bench, GENUINE, cases);
    await mustTake(bench, UNKNOWN, additions(bench));
    await prototypes(bench);
  },
});

function additions(bench: Bench): readonly Genuine[] {
  const { catalogue, envelope } = bench.target.profile;
  const [row] = catalogue;
  const category = envelope.category?.slice(1) ?? "";
  const isPlain = category !== "" && !category.includes("/");
  const unknown = (how: string, order: Parameters<Bench["event"]>[0]): Genuine => {
    const attempt = bench.attempt(bench.event(order), {
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
    bench.attempt(bench.event({ row, more }), { what: "an unknown member of the envelope" }),
  ];
}

const NAMES =
  "constructor toString hasOwnProperty valueOf __proto__ __class__ prototype then".split(" ");

/** Names that every object of some languages has: as a type, and as members that libraries merge. */
async function prototypes(bench: Bench): Promise<void> {
  const { docket, target } = bench;
  docket.subject = PROTOTYPE;
  const [plain, ...others] = await bench.postAll(
    ["cstest.plain", ...NAMES].map((type) => bench.attempt(bench.event({ type }))),
  );
  const seen = await bench.finalEffects();
  if (plain === undefined) return;
  for (const { event, reply } of others) {
    const isAlike = seen?.get(event.id)?.count === seen?.get(plain.event.id)?.count;
    docket.judge(PROTOTYPE, reply.status === plain.reply.status && isAlike, [reply], () => {
      const more = isAlike ? "" : ", and other handlers ran";
      return `the type ${event.type}: expected ${plain.reply.said} as for any unknown type, got ${reply.said}${more}`;
    });
  }
  // What was merged into a prototype would show in every later request.
  const planted =
    '{"cstest":1,"test":true,"verified":true,"skipVerification":true,"debug":true,"handled":true,"duplicate":true,"status":204,"count":7,"amount":{"value":7}}';
  const polluted = [`"__proto__":${planted}`, `"constructor":{"prototype":${planted}}`].flatMap(
    (member) =>
      [/\{/, /(?<="data":)\{/].map((place) =>
        bench.rewritten("an event with the member __proto__", (text) =>
          text.replace(place, `{${member},`),
        ),
      ),
  );
  const before = await bench.post(bench.unsigned());
  await bench.postAll(polluted);
  const after = "after events with the member __proto__";
  if (!before.isAcknowledged)
    await mustRefuse(bench, PROTOTYPE, [
      { ...bench.unsigned(), what: `an unsigned attempt ${after}` },
    ]);
  const attempts = target.profile.catalogue
    .slice(0, 3)
    .map((row) => bench.attempt(bench.event({ row }), { what: `${row.type} ${after}` }));
  await mustTake(bench, PROTOTYPE, attempts);
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
  play: async (bench) => {
    const { docket, target, seed } = bench;
    const rows = target.profile.catalogue.filter(({ kind }) => kind?.startsWith("payment."));
    if (rows.length === 0) return docket.unseen(EXACT, "no event of the profile has an amount");
    if (target.effects === undefined) return docket.unseen(EXACT, bench.noEffects());
    const drawn = Array.from({ length: 10 }, (_, index) => {
      const cents = ((seed * 7_919_011 + index * 104_729) % 999_999) + 1;
      return [(cents / 100).toFixed(2), String(cents)] as const;
    });
    const data = { amount: { currency: "USD", value: "cstest" } };
    const sent = await bench.postAll(
      [...AMOUNTS, ...drawn].map(([text, cents], index) => {
        const event = bench.event({ row: rows[index % rows.length], data });
        const body = event.text.replace('"cstest"', text);
        return { ...bench.attempt(event, { body }), text, cents };
      }),
    );
    const taken = sent.filter(({ reply }) => reply.isAcknowledged);
    const seen = await bench.effects(taken.map(({ event }) => event.id));
    for (const { text, cents, event, reply } of sent) {
      const got = seen?.get(event.id)?.amountCents;
      if (got === undefined) continue;
      docket.judge(EXACT, got === cents, [reply], () => {
        return `${text} dollars: expected ${cents} cents at the handler, got ${got}`;
      });
    }
    return docket.unseen(EXACT, "its effects have no amountCents");
  },
});
