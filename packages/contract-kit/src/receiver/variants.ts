import type { ProviderDocument } from "@countersign/schemas/providers";
import type { AttemptOrder } from "../harness/attempt-maker.ts";
import { type EventForm, formsOf } from "../harness/event-forms.ts";
import type { KitSender, Sent } from "../harness/kit-sender.ts";
import type { Reply } from "../harness/message.ts";
import { isRecord, parseJson } from "../values.ts";
import { expectOneRun } from "./receiver-check.ts";

const GENUINE = "R-ACK-GENUINE";
const CHALLENGE = "cstestchallenge";

type Handshake = NonNullable<ProviderDocument["handshakes"]>[number];

/** A genuine attempt of another kind than the provider's usual events. */
interface Variant {
  readonly what: string;
  readonly order: AttemptOrder;
  /** Texts that the answer's body must have, by member (`""`: the whole body). Absent if a receiver may refuse the attempt. */
  readonly answer?: Readonly<Record<string, string>>;
  /** True if it is a usual event in another coding, so that its handler must run. */
  readonly isCoding?: boolean;
}

/**
 * Sends the handshakes and the other forms of a provider's events. The first handshake, which belongs to the usual
 * events, must be answered as documented; whatever else the receiver does not expect it may refuse, but not fail at it.
 */
export async function expectVariants(kit: KitSender): Promise<void> {
  kit.blamedIfLost = GENUINE;
  const { target, expect } = kit;
  const all = [...handshakes(kit), ...otherForms(kit)];
  const sent = await kit.postAll(all.map((one) => ({ ...kit.attempt(one.order), ...one })));
  // Only a type that has shown an effect in its first form must show one in another.
  const known = new Set(target.runState.handled.map(({ type }) => type));
  const isHandled = ({ reply, isCoding, event }: Sent & Variant): boolean =>
    isCoding === true && reply.isAcknowledged && known.has(event.type);
  const handled = sent.filter(isHandled);
  const seen = await kit.waitForEffects(handled.map(({ event }) => event));
  for (const one of sent) {
    const { what, reply, answer } = one;
    const isFailed = reply.failure !== undefined || (reply.status ?? 0) >= 500;
    const wrong = answer === undefined ? [] : wrongParts(reply.text, answer);
    const isMet = answer === undefined || (reply.isAcknowledged && wrong.length === 0);
    const expected = wrong.map(([name, value]) => ` with ${value} as its ${name || "body"}`);
    const message = `a genuine ${what}: expected a status of 2xx${expected.join(" and ")}`;
    expect(GENUINE, !isFailed && isMet, `${reply.insteadOf(message)} and ${shown(reply)}`, reply);
    const coded = { ...one, what: `a genuine ${what}` };
    if (seen !== undefined && handled.includes(one)) expectOneRun(kit, GENUINE, coded, seen);
  }
}

function handshakes(kit: KitSender): readonly Variant[] {
  const { handshakes: all = [], title } = kit.target.provider;
  // Without the user's token, nobody can prove an unsigned one.
  const signed = all.filter(({ method, token }) => method === undefined && token === undefined);
  return signed.map((handshake, index): Variant => {
    const { at = "", equals, startsWith } = handshake.when[0] ?? {};
    const name = String(equals ?? startsWith ?? at.split("/").at(-1));
    const what = `handshake of ${title}, ${name}`;
    const order = handshakeOrder(kit, handshake);
    return index > 0 ? { what, order } : { what, order, answer: answerOf(kit, handshake) };
  });
}

/** The places that a handshake's answer repeats, by the member that they have there. */
const repeated = ({ answer: { text, json = {} } }: Handshake) =>
  Object.entries(text === undefined ? json : { ...json, "": text }).map(([name, value]) =>
    typeof value === "string"
      ? { name, at: value, isHmac: false }
      : { name, at: value.hmac, isHmac: true },
  );

function answerOf(kit: KitSender, handshake: Handshake): Readonly<Record<string, string>> {
  const { signing, key } = kit;
  const parts = repeated(handshake).flatMap(({ name, at, isHmac }) => {
    const fixed = handshake.when.find((condition) => condition.at === at)?.equals;
    const value = String(fixed ?? CHALLENGE);
    if (!isHmac) return [[name, value]];
    const mac = key && signing.mac(Buffer.from(value), key).toString(signing.encoding);
    return mac === undefined ? [] : [[name, mac]];
  });
  return Object.fromEntries(parts) as Readonly<Record<string, string>>;
}

/** The parts that an answer lacks: in JSON they are members, and senders take the bare value too. */
function wrongParts(text: string, answer: Readonly<Record<string, string>>) {
  const members = parseJson(text);
  return Object.entries(answer).filter(([name, value]) => {
    const own = isRecord(members) ? members[name] : undefined;
    return text.trim() !== value && (name === "" || String(own) !== value);
  });
}

const shown = ({ text }: Reply): string =>
  text === "" ? "no body" : JSON.stringify(text.slice(0, 80));

function handshakeOrder({ events }: KitSender, handshake: Handshake): AttemptOrder {
  const { provider, dataAt } = events;
  const { when } = handshake;
  const [first] = when;
  const [own] = formsOf({ ...provider, event: { type: first?.at ?? "body:" } });
  const form = own.isForm === events.isForm ? undefined : own;
  const places = [...when.map(({ at }) => at), ...repeated(handshake).map(({ at }) => at)];
  const { idPlaces, typeParts, event } = events.form;
  const isEvent = when.some(({ at }) => typeParts.includes(at));
  // Vendors send no id, type or account of an event with a handshake that is not one of their event types.
  const named = isEvent ? [] : [...idPlaces, ...typeParts, event.account].map(memberOf);
  const data = dataAt.includes("/") ? dataAt : undefined;
  const absent = [data, ...named]
    .filter((member) => member !== undefined)
    .filter((member) => !places.some((place) => place.startsWith(member)));
  const more = Object.fromEntries<unknown>([
    ...absent.map((member) => [member, undefined] as const),
    ...places.map((place) => [place, CHALLENGE] as const),
    ...when.map(({ at, equals, startsWith, present }) => {
      const value = present === false ? undefined : CHALLENGE;
      return [at, equals ?? startsWith ?? value] as const;
    }),
  ]);
  return { ...(form && { form, base: {} }), keepsResource: !isEvent, more };
}

/** The top-level member of the body that contains a place. */
const memberOf = (place: unknown): string | undefined =>
  typeof place === "string" ? /^body:\/[^/]+/.exec(place)?.[0] : undefined;

/** Events of each other form: the usual ones in another coding, or else of a type that has no handler. */
function otherForms(kit: KitSender): readonly Variant[] {
  const { events } = kit;
  return events.forms.slice(1).flatMap((form): readonly Variant[] => {
    const [condition] = form.when;
    if (condition === undefined) return [];
    const { at, equals, startsWith } = condition;
    const what = `event with ${String(equals ?? startsWith ?? "a value")} at ${at}`;
    if (at === "header:Content-Type") {
      const row = kit.row();
      const base = parseJson(kit.event({ row }).text);
      return [{ what, order: { row, form, base }, isCoding: true }];
    }
    return [{ what, order: ofForm(form) }];
  });
}

export const ofForm = (form: EventForm): AttemptOrder => ({
  form,
  base: {},
  type: typeOf(form),
  keepsResource: true,
});

function typeOf(form: EventForm): string {
  const { typeParts, separator, when } = form;
  const parts = typeParts.map((part) => {
    if (typeof part === "object") return part.text;
    const { equals, startsWith = "" } = when.find(({ at }) => at === part) ?? {};
    return String(equals ?? `${startsWith}cstest`);
  });
  return parts.join(separator);
}
