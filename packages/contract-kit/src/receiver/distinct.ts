import { createHash } from "node:crypto";
import type { ProviderDocument } from "@countersign/schemas/providers";
import type { ReceiverCheck } from "../check.ts";
import type { Attempt } from "../harness/attempt-maker.ts";
import { without } from "../harness/message.ts";
import type {
  CatalogueRow,
  EventOrder,
  ProviderEvents,
  TestEvent,
} from "../harness/provider-events.ts";
import { RequestDraft } from "../harness/request-draft.ts";
import { FILLERS, fits, idForms } from "../harness/write-event.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { OTHER_HEADERS } from "./once.ts";
import { isTaken, receiverCheck } from "./receiver-check.ts";

const DISTINCT = "R-ONCE-DISTINCT";

export const distinct: ReceiverCheck = receiverCheck({
  id: "receiver/distinct",
  title: "of two events that differ in one part of what identifies them, both are handled",
  requirements: [DISTINCT],
  needs: ["id"],
  passesByEffects: true,
  run: async (kit) => {
    const pairs = [...lookalikes(kit), ...twins(kit)];
    const sent = await Promise.all(
      pairs.map(async ([what, first, second, isOdd]) => {
        const replies = [await kit.post(first), await kit.post(second)];
        const refused = replies.find(({ isAcknowledged }) => !isAcknowledged);
        return { what, events: [first.event, second.event], replies, refused, isOdd };
      }),
    );
    const accepted = sent.filter(({ refused }) => refused === undefined);
    const seen = await kit.postLastAndWaitForEffects(accepted.flatMap(({ events }) => events));
    for (const { what, events, replies, refused, isOdd } of sent) {
      const answer = (refused ?? replies[1])?.insteadOf(`${what}: both are genuine`) ?? what;
      const isMet = refused === undefined || isTaken(refused, { mayBeRefused: isOdd === true });
      kit.expect(DISTINCT, isMet, answer, ...replies);
      if (seen === undefined || refused !== undefined) continue;
      const count = seen.count({ ids: events.flatMap(({ ids }) => ids) });
      const message = `${what}: both were acknowledged, and handlers have run ${count} times: 2 expected`;
      // Vendors advise to know an event by this id and nothing else.
      const isOneId = events[0]?.id === events[1]?.id && kit.events.form.idPlaces.length === 1;
      const shared = `${message}. One id of ${kit.target.provider.title} can come with several types: if you subscribe to more than one, remember the id with the type`;
      if (count < 2 && isOneId) kit.verdicts.warn(DISTINCT, shared, replies);
      else kit.expect(DISTINCT, count === 2, message, ...replies);
    }
  },
});

/** Two events that are sent one after the other; `isOdd` if a receiver may refuse the id of the second one. */
type Pair = readonly [what: string, first: Attempt, second: Attempt, isOdd?: true];

/** The longest id of the reference interface, and one that every vendor's table has room for. */
const LONGEST_ID = 64;
const LONGEST_VENDORS_ID = 40;

/** Ends of two ids that a store, a cache or a careless comparison takes for one. */
const ALIKE: readonly (readonly [what: string, one: string, other: string])[] = [
  ["that differ in case", "_Ab", "_aB"],
  ["of which one begins with the other", "_p", "_pp"],
  ["with - and _ in one place", "_a_b", "_a-b"],
  ["of which one ends with _", "_e", "_e_"],
  ["that differ by leading zeros", "_7", "_007"],
  ["that are equal as numbers", "_1e3", "_1000"],
  ["with O and 0", "_O1", "_0l"],
];

/** Characters with a meaning for a database, a shell, a file system or a format. */
const HOSTILE = [
  "%",
  "*",
  "?",
  ".",
  "'",
  "' OR '1'='1",
  "/../x",
  "%s%n",
  "\\",
  "{{1}}",
  "%5F",
  "+",
];

/** Alphabets of ids, of which two differ in one character at a place that the seed draws. */
const ALPHABETS: Readonly<Record<string, string>> = {
  "hexadecimal digits": "0123456789abcdef",
  "letters and digits": "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz",
  "base64url's characters": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
};
/** Digits of an id that is a number too large for a double. */
const DIGITS = 19;

function lookalikes(kit: KitSender): readonly Pair[] {
  const stem = kit.event().id;
  const longest = kit.target.provider.sending === undefined ? LONGEST_VENDORS_ID : LONGEST_ID;
  const filled = (length: number): string => `${stem}_`.padEnd(length, "c");
  const draw = (index: number, below: number): number =>
    createHash("sha256").update(`${stem} ${kit.seed} ${index}`).digest().readUInt32BE() % below;
  const drawn = Object.entries(ALPHABETS).map(([alphabet, letters]) => {
    const length = Math.min(24, longest - stem.length);
    const text = Array.from({ length }, (_, at) => letters[draw(at, letters.length)] ?? "");
    const at = draw(length, length);
    const other = text.with(
      at,
      letters[(letters.indexOf(text[at] ?? "") + 1) % letters.length] ?? "",
    );
    return [
      `of ${alphabet} that differ in one`,
      stem + text.join(""),
      stem + other.join(""),
    ] as const;
  });
  const number = `9${String(draw(99, 1e9)).padStart(9, "0")}`.padEnd(DIGITS - 1, "0");
  const ids = [
    // Each as the first one: only the later id is a pattern of SQL's LIKE.
    ...[1, 2].flatMap((turn) =>
      ALIKE.map(([what, ...ends]) => {
        const [one = "", other = ""] = turn === 1 ? ends : ends.toReversed();
        return [what, `${stem}${turn}${one}`, `${stem}${turn}${other}`] as const;
      }),
    ),
    ...[16, 20, 24, 32, 36, 40, 48, 50, 60, longest - 1]
      .filter((length) => length < longest && length > stem.length + 1)
      .map(
        (length) =>
          [
            `that differ after ${length} characters`,
            `${filled(length)}x`,
            `${filled(length)}y`,
          ] as const,
      ),
    ...drawn,
    ["of digits that are equal as doubles", `${number}1`, `${number}2`] as const,
  ];
  const row = kit.row();
  const plain = ids.map(([what, id, other]): Pair => [
    `two ids ${what}`,
    kit.attempt({ id, row }),
    kit.attempt({ id: other, row }),
  ]);
  const odd = HOSTILE.flatMap((text): readonly Pair[] => {
    const first = kit.attempt({ row });
    const second = withId(kit, `${first.event.id.slice(0, -1)}${text}`);
    const what = `an id with ${text} after a similar one`;
    return second === undefined ? [] : [[what, first, second, true]];
  });
  return [...plain, ...odd];
}

/** A genuine attempt with an id; `undefined` if the provider's ids have another form. */
function withId(kit: KitSender, id: string): Attempt | undefined {
  const { signing, key } = kit;
  const event = kit.event({ id, row: kit.row() });
  if (event.id !== id) return undefined;
  const { id: signed } = signing.provider;
  if (signed === undefined) return kit.attempt({ event });
  // No library signs such an id, so it is signed here.
  const attempt = { ...kit.attempt({ event: { ...event, id: kit.event().id } }), event };
  const written = signing.withPlace(attempt, signed.at, () => id);
  return key && kit.signedBy(written, key);
}

/** Pairs that are alike in all but one part of the event's key. */
function twins(kit: KitSender): readonly Pair[] {
  const { events, signing } = kit;
  const order = () => {
    const { id, resource } = kit.event();
    return { id, resource, at: kit.now() - 5000, row: kit.row() };
  };
  const headers = without(OTHER_HEADERS, signing.headers);
  const aboutOne = (what: string, laterMs: number): Pair => {
    const { id: _, at, ...alike } = { ...order(), headers };
    return [what, kit.attempt({ ...alike, at }), kit.attempt({ ...alike, at: at + laterMs })];
  };
  const parts = variedParts(events, order()).map(([place, change]): Pair => {
    const first = order();
    const other = kit.attempt({ ...first, ...change });
    return [`two events that differ in ${place}`, kit.attempt(first), other];
  });
  const first = kit.event(order());
  const renamed = withOtherId(events, first, `${first.id}_other`);
  const equal = (event: TestEvent): Pair => {
    return ["two events with equal bodies", kit.attempt({ event: first }), kit.attempt({ event })];
  };
  return [
    aboutOne("two events of one type about one resource", 1000),
    aboutOne("two events of one type about one resource and one time", 0),
    ...parts,
    ...(renamed === undefined ? [] : [equal(renamed)]),
  ];
}

/** An event's body under another id; `undefined` if the id is in the body, or the body must repeat it. */
function withOtherId(
  {
    provider,
    form: {
      idPlaces: [place],
    },
  }: ProviderEvents,
  event: TestEvent,
  id: string,
): TestEvent | undefined {
  const { delivery, sending } = provider;
  if (place?.startsWith("header:") !== true || sending !== undefined) return undefined;
  const { headers, text, path } = event;
  const draft = new RequestDraft({ headers, body: Buffer.from(text), path }, provider);
  const other = idForms(id).find((form) => fits(provider, place, form)) ?? id;
  draft.put(place, other);
  if (delivery?.startsWith("header:") === true && delivery !== place) draft.put(delivery, `d${id}`);
  return { ...event, id: other, headers: draft.headers, ids: [other, id] };
}

/** A change of an order that makes another event of it, and the part of the event's key that differs. */
type VariedPart = readonly [place: string, change: Partial<EventOrder>];

/**
 * Changes that each make another event of an order by a single part of its key: one of several places of the id, or the
 * type, if the id is not signed and each event has several deliveries with an id of their own.
 */
function variedParts(events: ProviderEvents, order: EventOrder): readonly VariedPart[] {
  const { provider, rows, form } = events;
  const { typeParts, idPlaces } = form;
  const [own = "", ...others] = idPlaces;
  const { type } = events.make(order);
  const isAlike = (one: CatalogueRow): boolean =>
    one.type !== type && events.formOf(one.type) === events.formOf(type);
  const row = [...rows, ...(provider.catalogue ?? [])].find(isAlike);
  const byType: readonly VariedPart[] = row === undefined ? [] : [["their type", { row }]];
  if (others.length === 0) {
    const { delivery = own } = provider;
    return isSigned(provider, own) || delivery === own ? [] : byType;
  }
  return others.flatMap((place): readonly VariedPart[] => {
    if (typeParts.includes(place)) return byType;
    if (place === provider.timestamp?.at) return [];
    if (place === form.event.time?.at) return [[place, { at: order.at + 60_000 }]];
    const value = FILLERS.filter((one) => fits(provider, place, one))[1];
    return value === undefined ? [] : [[place, { more: { [place]: value } }]];
  });
}

function isSigned({ id, signature }: ProviderDocument, place: string): boolean {
  const isInBody = /^(?:body|item|form):/.test(place);
  return isInBody || id?.at === place || JSON.stringify(signature.signed).includes(`"${place}"`);
}
