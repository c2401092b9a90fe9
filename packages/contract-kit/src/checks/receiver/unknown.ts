import type { ReceiverCheck } from "../../check.ts";
import type { Bench, BenchEvent } from "../../harness/bench.ts";
import { receiverCheck } from "../../harness/play.ts";

const UNKNOWN = "R-EVENT-UNKNOWN";
const PROTOTYPE = "R-ROUTE-PROTOTYPE";

/** What a provider adds without notice, and names that every object of some languages has. */
export const unknown: ReceiverCheck = receiverCheck({
  id: "receiver/unknown",
  title: "types and members that nobody knows are taken, and name no code",
  requirements: [UNKNOWN, PROTOTYPE],
  play: async (bench) => {
    const { docket } = bench;
    const cases = additions(bench);
    const replies = await bench.postAll(cases.map(({ event }) => bench.attempt(event)));
    const known = cases.filter(({ isKnown }) => isKnown);
    const isTaken = (index: number): boolean => replies[index]?.isAcknowledged ?? false;
    const effects = await bench.effects(
      cases.filter(({ isKnown }, index) => isKnown && isTaken(index)).map(({ event }) => event.id),
    );
    cases.forEach(({ what, event }, index) => {
      const reply = replies[index];
      if (reply === undefined) return;
      docket.judge(
        UNKNOWN,
        reply.isAcknowledged,
        () => `${what}: to be taken, and ${reply.said} came`,
        () => [reply.exchange()],
      );
      const hasRun = known.some((one) => one.event === event) && reply.isAcknowledged;
      if (!hasRun || effects === undefined) return;
      docket.judge(
        UNKNOWN,
        effects.has(event.id),
        () => `${what}: acknowledged, and its handler has not run`,
        () => [reply.exchange()],
      );
    });
    await prototypes(bench);
  },
});

interface Addition {
  readonly what: string;
  readonly event: BenchEvent;
  /** Whether its type is one of the catalogue, whose handler runs. */
  readonly isKnown: boolean;
}

function additions(bench: Bench): readonly Addition[] {
  const { catalogue, envelope } = bench.target.profile;
  const [row] = catalogue;
  const data = { cstestAdded: { of: ["any", 1, null, true, 1.5] } };
  const category = envelope.category?.slice(1) ?? "";
  return [
    { what: "an event of an unknown type", event: bench.event({ type: "cstest.added" }) },
    {
      what: "an event of an unknown type with many parts",
      event: bench.event({ type: "payment.created.cstest_Added-2" }),
    },
    ...(category === "" || category.includes("/")
      ? []
      : [
          {
            what: "an event of an unknown type in an unknown category",
            event: bench.event({ type: "report.ready", more: { [category]: "REPORT" } }),
          },
        ]),
  ]
    .map((one): Addition => ({ ...one, isKnown: false }))
    .concat([
      {
        what: "an unknown member of the envelope",
        event: bench.event({ row, more: { cstestAdded: "any" } }),
        isKnown: true,
      },
      { what: "an unknown member of the data", event: bench.event({ row, data }), isKnown: true },
    ]);
}

const NAMES = ["constructor", "toString", "hasOwnProperty", "valueOf", "__proto__", "__class__"];

/** Such a type has to fare as any unknown one does. */
async function prototypes(bench: Bench): Promise<void> {
  const { docket } = bench;
  const events = ["cstest.plain", ...NAMES].map((type) => bench.event({ type }));
  const replies = await bench.postAll(events.map((event) => bench.attempt(event)));
  const last = bench.event();
  await bench.post(bench.attempt(last));
  const effects = await bench.effects([last.id]);
  const [plain] = replies;
  const [first] = events;
  if (plain === undefined || first === undefined) return;
  NAMES.forEach((type, index) => {
    const [reply, event] = [replies[index + 1], events[index + 1]];
    if (reply === undefined || event === undefined) return;
    docket.judge(
      PROTOTYPE,
      reply.status === plain.status && effects?.has(event.id) === effects?.has(first.id),
      () =>
        `the type ${type}: ${plain.said} as for any unknown type expected, ${reply.said} came${effects?.has(event.id) === effects?.has(first.id) ? "" : ", and other handlers ran"}`,
      () => [reply.exchange()],
    );
  });
}
