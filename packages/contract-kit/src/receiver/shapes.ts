import type { ReceiverCheck } from "../check.ts";
import type { Attempt, AttemptOrder } from "../harness/attempt-maker.ts";
import { describeEffect, type Seen } from "../harness/effects.ts";
import { eventShapes } from "../harness/event-shapes.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import type { Header } from "../harness/message.ts";
import { prepended } from "./forged-bodies.ts";
import { words } from "./forged-operation.ts";
import {
  expectAccepted,
  expectRefusedThenGenuine,
  receiverCheck,
  type ValidAttempt,
} from "./receiver-check.ts";
import { expectVariants } from "./variants.ts";

const GENUINE = "R-ACK-GENUINE";
const UNKNOWN = "R-EVENT-UNKNOWN";
const ONE = "R-ROUTE-ONE";
const PROTOTYPE = "R-ROUTE-PROTOTYPE";

const DRAWS = 2;
/** Types that try one and the same place of a shared schema. */
const ROWS_A_PLACE = 2;

export const shapes: ReceiverCheck = receiverCheck({
  id: "receiver/shapes",
  title: "genuine events are accepted with every member, value and text that their schemas allow",
  requirements: [GENUINE, UNKNOWN],
  run: async (kit) => {
    const { seed, events, verdicts, target } = kit;
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
        .map(({ what, base, isListed }): ValidAttempt => ({
          ...kit.attempt({ row, base, what: `${row.type} ${what}` }),
          requirement: isListed ? GENUINE : UNKNOWN,
        })),
    );
    verdicts.notApplicable(GENUINE, `no schema of an event of ${target.provider.title} is known`);
    const [row] = rows;
    const more: AttemptOrder = events.isForm
      ? { more: { "form:cstestAdded": "any" } }
      : { base: JSON.parse(prepended(kit.event({ row }).text, MORE)) as unknown };
    const added = kit.attempt({ row, what: "an unknown member of the envelope", ...more });
    const others = [added, otherVersion(kit)].map((one) => ({ ...one, requirement: UNKNOWN }));
    await expectAccepted(kit, GENUINE, [...cases, ...others]);
    await expectVariants(kit);
  },
});

const MORE = '"cstestAdded":"any","api_version":"2030-01-01","attempt":1';

/** Providers name a version of their interface by its date, and each account and endpoint may have another one. */
function otherVersion(kit: KitSender): Attempt {
  const row = kit.row();
  const dated = kit.event({ row }).headers.filter(([name]) => /version/i.test(name));
  const more = Object.fromEntries(
    dated.map(([name, value]): Header => [`header:${name}`, value.replace(/^20..-/, "2031-")]),
  );
  const body = (text: string): string =>
    text.replaceAll(/(?<="\w*version\w*":\s?")20..(?=-)/gi, "2031");
  const what = "another version of the provider's interface";
  return kit.attempt({ row, what, body, more });
}

/** Names that a careless comparison takes for another one. */
const MISSES: readonly ((name: string) => string)[] = [
  (name) => `${name}.cstest_Added-2`,
  (name) => `${name}x`,
  (name) => `x${name}`,
  (name) => name.replace(/[./_]/, "x"),
  (name) => name.slice(0, -1),
  (name) => name.toUpperCase(),
];

export const unknownTypes: ReceiverCheck = receiverCheck({
  id: "receiver/unknown-types",
  title: "events of unknown types are acknowledged, and no handler of another type runs for them",
  requirements: [UNKNOWN, ONE],
  needs: ["types"],
  run: async (kit) => {
    const { events, verdicts, target, expect } = kit;
    const unknown = (what: string, order: AttemptOrder): ValidAttempt =>
      kit.attempt({ ...order, what: `an event of an unknown type${what}` });
    const known = new Set([...events.rows, ...events.allRows].map((row) => row.type));
    const near = events.rows
      .slice(0, 3)
      .flatMap(({ type }) => MISSES.map((miss) => events.withLastPart(type, miss)))
      .filter((type) => !known.has(type));
    const { category } = target.provider.event;
    const place = typeof category === "string" && category.startsWith("body:") ? [category] : [];
    const sent = await kit.observe([
      unknown("", { type: otherType(kit, "cstest.added") }),
      unknown(" whose data is empty", { type: otherType(kit, "cstest.empty"), base: {} }),
      ...place.map((at) =>
        unknown(" in an unknown category", { type: "report.ready", more: { [at]: "REPORT" } }),
      ),
      ...near.map((type) => unknown(`, ${type}`, { type })),
    ]);
    for (const { what, event, reply, seen } of sent) {
      const answer = `${what}: it is genuine, and was answered by ${reply.summary}`;
      expect(UNKNOWN, reply.isAcknowledged, answer, reply);
      const ran = seen?.of(event);
      if (ran === undefined) continue;
      const got = `${what}: expected one run of the fallback, got ${describeEffect(ran)}`;
      expect(ONE, event.types.includes(ran.type) && ran.count === 1, got, reply);
    }
    verdicts.notApplicable(ONE, "no handler ran for an unknown type");
    const [fallback] = sent;
    if (fallback?.seen?.of(fallback.event) !== undefined) warnOfSilent(kit, fallback.seen);
  },
});

/** Unknown types reach a handler, so that known ones which reach none may be dropped by mistake. */
function warnOfSilent({ target, verdicts }: KitSender, seen: Seen): void {
  const { silent = [] } = target.runState;
  const { handshakes = [] } = target.provider;
  const answered = handshakes.flatMap(({ when }) => when.map(({ equals }) => equals));
  const lost = silent.filter(
    ({ what, event, reply }) =>
      reply.isAcknowledged && !answered.includes(what) && seen.of(event) === undefined,
  );
  if (lost.length === 0) return;
  const names = lost.slice(0, 8).map(({ what }) => what);
  const more = lost.length > names.length ? ` and ${lost.length - names.length} more` : "";
  const message = `events of unknown types have a handler, and those of ${lost.length} types of the catalogue, which are acknowledged too, have no effect: ${names.join(", ")}${more}`;
  verdicts.warn(ONE, message, [lost[0]?.reply]);
}

const otherType = ({ events }: KitSender, name: string): string =>
  events.withLastPart(events.rows[0]?.type ?? "", () => name);

const NAMES = words(
  "constructor toString hasOwnProperty valueOf __proto__ __class__ prototype then",
);

/** Members that libraries merge into the prototype of all objects: what they set would show in every later request. */
const PLANTED =
  '{"cstest":1,"test":true,"verified":true,"skipVerification":true,"debug":true,"handled":true,"duplicate":true,"status":204,"count":7,"amount":{"value":7}}';

export const prototypes: ReceiverCheck = receiverCheck({
  id: "receiver/prototypes",
  title: "names that every object has mean nothing, as a type and as members of the body",
  requirements: [PROTOTYPE],
  needs: ["types"],
  passesByEffects: true,
  run: async (kit) => {
    const { events, expect } = kit;
    const types = ["cstest.plain", ...NAMES].map((name) => otherType(kit, name));
    const [plain, ...others] = await kit.observe(types.map((type) => kit.attempt({ type })));
    for (const { event, reply, runs } of others) {
      if (plain === undefined) break;
      const isAlike = runs === plain.runs;
      const got = `${reply.summary}${isAlike ? "" : ", and other handlers ran"}`;
      const message = `the type ${event.type}: expected ${plain.reply.summary} as for any unknown type, got ${got}`;
      expect(PROTOTYPE, reply.status === plain.reply.status && isAlike, message, reply);
    }
    if (events.isForm || !kit.signing.covers.body) return;
    const members = [`"__proto__":${PLANTED}`, `"constructor":{"prototype":${PLANTED}}`];
    const polluted = members.flatMap((member) =>
      [/\{/, /(?<="data":\s?)\{/].map((place) => {
        const body = (text: string): string => text.replace(place, `{${member},`);
        return kit.attempt({ what: "an event with the member __proto__", body });
      }),
    );
    const before = await kit.post(kit.unsigned());
    await kit.postAll(polluted);
    const after = "after events with the member __proto__";
    const what = `an unsigned attempt ${after}`;
    if (!before.isAcknowledged)
      await expectRefusedThenGenuine(kit, PROTOTYPE, [kit.unsigned({ what })]);
    const attempts = events.rows
      .slice(0, 3)
      .map((row) => kit.attempt({ row, what: `${row.type} ${after}` }));
    await expectAccepted(kit, PROTOTYPE, attempts);
  },
});
