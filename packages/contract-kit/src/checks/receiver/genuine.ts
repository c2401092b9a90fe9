import type { ReceiverCheck } from "../../check.ts";
import type { Bench } from "../../harness/bench.ts";
import { effectsSaid } from "../../harness/effects.ts";
import { type Genuine, mustRefuse, mustTake, receiverCheck } from "../../harness/play.ts";
import { diagnose } from "../../harness/triage.ts";
import { without } from "../../harness/request.ts";

const GENUINE = "R-ACK-GENUINE";
const IN_TIME = "R-ACK-IN-TIME";
const ONE = "R-ROUTE-ONE";

/** Every event of the catalogue, as a provider sends it. */
export const genuine: ReceiverCheck = receiverCheck({
  id: "receiver/genuine",
  title: "a genuine attempt of every event type is acknowledged in time, and handled once",
  requirements: [GENUINE, IN_TIME, ONE],
  isFirst: true,
  play: async (bench: Bench) => {
    const { docket, target } = bench;
    const events = target.profile.catalogue.map((row) => ({ row, event: bench.event({ row }) }));
    const replies = await bench.postAll(
      events.map(({ row, event }) => ({ ...bench.attempt(event), what: row.type })),
    );
    const acknowledged = events.filter((_, index) => replies[index]?.isAcknowledged);
    for (const reply of replies)
      // A closed connection is not an answer, neither in time nor too late.
      if (reply.received.kind === "answer" || reply.received.why === "timeout")
        docket.judge(IN_TIME, reply.received.kind === "answer", [reply], () => reply.said);
    if (acknowledged.length === 0) {
      target.notebook.diagnosis ??= diagnose(bench);
      const cause = await target.notebook.diagnosis;
      docket.judge(
        GENUINE,
        false,
        replies.slice(0, 1),
        () => cause ?? "no event of the first attempts was acknowledged, and later ones were",
      );
      return;
    }
    const seen = await bench.effects(acknowledged.map(({ event }) => event.id));
    docket.unseen(ONE, bench.noEffects());
    const expected = target.profile.delivery.success;
    events.forEach(({ row, event }, index) => {
      const reply = replies[index];
      if (reply === undefined) return;
      docket.judge(
        GENUINE,
        reply.isAcknowledged,
        [reply],
        () => `${row.type}: expected ${expected}, got ${reply.said}`,
      );
      if (seen === undefined || !reply.isAcknowledged) return;
      const ran = seen.get(event.id);
      if (ran?.count === 1) target.notebook.handled.push(event);
      docket.judge(ONE, ran?.count === 1 && ran.type === row.type, [reply], () =>
        ran === undefined
          ? `${row.type}: acknowledged, and no effect of it within ${target.effectsWaitMs} ms`
          : `${row.type}: expected one effect, got ${effectsSaid(ran)}`,
      );
    });
  },
});

const UNKNOWN = "R-EVENT-UNKNOWN";
const EXACT = "R-MONEY-EXACT";
const PROTOTYPE = "R-ROUTE-PROTOTYPE";

/** Values drawn by the seed for each type. */
const DRAWS = 2;
/** Types that try one and the same place of a shared schema. */
const ROWS_A_PLACE = 2;

/** Everything that the schemas admit, and what a reader must accept although they do not list it. */
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
          what: `${row.type} ${what}`,
          event: bench.event({ row, base }),
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
  const isUnhandled = true;
  return [
    {
      what: "an event of an unknown type",
      event: bench.event({ type: "cstest.added" }),
      isUnhandled,
    },
    {
      what: "an event of an unknown type with many parts",
      event: bench.event({ type: `${row?.type ?? "cstest"}.cstest_Added-2` }),
      isUnhandled,
    },
    {
      what: "an event of an unknown type whose data is empty",
      event: bench.event({ type: "cstest.empty", base: {} }),
      isUnhandled,
    },
    ...(category === "" || category.includes("/")
      ? []
      : [
          {
            what: "an event of an unknown type in an unknown category",
            event: bench.event({ type: "report.ready", more: { [category]: "REPORT" } }),
            isUnhandled,
          },
        ]),
    {
      what: "an unknown member of the envelope",
      event: bench.event({
        row,
        more: { cstestAdded: "any", api_version: "2030-01-01", attempt: 1 },
      }),
    },
  ];
}

const NAMES = [
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__proto__",
  "__class__",
  "prototype",
  "then",
];

/** Names that every object of some languages has: as a type, and as members that libraries merge. */
async function prototypes(bench: Bench): Promise<void> {
  const { docket, signing, target } = bench;
  docket.subject = PROTOTYPE;
  const events = ["cstest.plain", ...NAMES].map((type) => bench.event({ type }));
  const replies = await bench.postAll(events.map((event) => bench.attempt(event)));
  const last = bench.event();
  await bench.post(bench.attempt(last));
  const seen = await bench.effects([last.id]);
  const [plain] = replies;
  const [first] = events;
  if (plain === undefined || first === undefined) return;
  NAMES.forEach((type, index) => {
    const [reply, event] = [replies[index + 1], events[index + 1]];
    if (reply === undefined || event === undefined) return;
    const isAlike = seen?.get(event.id)?.count === seen?.get(first.id)?.count;
    docket.judge(
      PROTOTYPE,
      reply.status === plain.status && isAlike,
      [reply],
      () =>
        `the type ${type}: expected ${plain.said} as for any unknown type, got ${reply.said}${isAlike ? "" : ", and other handlers ran"}`,
    );
  });
  // What was merged into a prototype would show in every later request.
  const planted =
    '{"cstest":1,"test":true,"verified":true,"skipVerification":true,"debug":true,"handled":true,"duplicate":true,"status":204,"count":7,"amount":{"value":7}}';
  const polluted = [`"__proto__":${planted}`, `"constructor":{"prototype":${planted}}`].flatMap(
    (member) =>
      [/\{/, /(?<="data":)\{/].map((place) => {
        const event = bench.event();
        const body = Buffer.from(event.body.toString().replace(place, `{${member},`));
        return bench.attempt({ ...event, body });
      }),
  );
  const bare = bench.attempt(bench.event());
  const before = await bench.post({
    ...bare,
    headers: without(
      bare.headers,
      Object.values(signing.names).filter((name) => name !== undefined),
    ),
  });
  const takesUnsigned = before.isAcknowledged;
  await bench.postAll(polluted);
  const all = Object.values(signing.names).filter((name) => name !== undefined);
  const unsigned = bench.attempt(bench.event());
  if (!takesUnsigned)
    await mustRefuse(bench, PROTOTYPE, [
      {
        what: "an unsigned attempt after events with the member __proto__",
        attempt: { ...unsigned, headers: without(unsigned.headers, all) },
      },
    ]);
  await mustTake(
    bench,
    PROTOTYPE,
    target.profile.catalogue.slice(0, 3).map((row) => ({
      what: `${row.type} after events with the member __proto__`,
      event: bench.event({ row }),
    })),
  );
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

/** Payments whose amounts their handlers show in cents. */
export const money: ReceiverCheck = receiverCheck({
  id: "receiver/money",
  title: "amounts reach a handler to the cent",
  requirements: [EXACT],
  isSearch: true,
  play: async (bench) => {
    const { docket, target, seed } = bench;
    const rows = target.profile.catalogue.filter(({ kind }) => kind?.startsWith("payment."));
    if (target.effects === undefined || rows.length === 0) {
      docket.unseen(
        EXACT,
        rows.length === 0 ? "no event of the profile has an amount" : bench.noEffects(),
      );
      return;
    }
    const drawn = Array.from({ length: 10 }, (_, index) => {
      const cents = ((seed * 7_919_011 + index * 104_729) % 999_999) + 1;
      return [(cents / 100).toFixed(2), String(cents)] as const;
    });
    const amounts = [...AMOUNTS, ...drawn];
    const events = amounts.map(([text], index) => {
      const data = { amount: { currency: "USD", value: "cstest" } };
      const event = bench.event({ row: rows[index % rows.length], data });
      return { ...event, body: Buffer.from(event.body.toString().replace('"cstest"', text)) };
    });
    const replies = await bench.postAll(events.map((event) => bench.attempt(event)));
    const seen = await bench.effects(
      events.filter((_, index) => replies[index]?.isAcknowledged).map(({ id }) => id),
    );
    amounts.forEach(([text, cents], index) => {
      const effect = seen?.get(events[index]?.id ?? "");
      if (effect?.amountCents === undefined) return;
      docket.judge(
        EXACT,
        effect.amountCents === cents,
        [replies[index]],
        () => `${text} dollars: expected ${cents} cents at the handler, got ${effect.amountCents}`,
      );
    });
    docket.unseen(EXACT, "its effects have no amountCents");
  },
});
