import type { ProviderCheck } from "../../check.ts";
import { idOf } from "../../harness/delivered-event.ts";
import { settled } from "../../harness/passing-time.ts";
import { playOnce } from "../../harness/scenario.ts";
import { openBeside, type Session } from "../../harness/session.ts";
import { ALL, named, subscribe, typesOf, unsubscribe, type Details } from "./subscription-calls.ts";
import { must } from "../../harness/violation.ts";

const SELECT = "P-SUBSCRIBE-SELECT";
const SUBTRACT = "P-UNSUBSCRIBE-SUBTRACT";
const requirements = [SELECT, SUBTRACT, "P-ANSWER-SCHEMA"];

/** Each way to select and to take away, judged by what arrives. */
export const selection: ProviderCheck = {
  id: "provider/selection",
  title: "what arrives at a subscription is what it selected by EVENT, CATEGORY and ALL",
  role: "provider",
  requirements,
  run: (target, context) =>
    playOnce({ requirements, needs: ["events", "receiver"], play }, target, context),
};

interface Wanted {
  readonly details: Details;
  readonly taken?: Details;
}

async function play(session: Session): Promise<void> {
  const { target, controls } = session;
  const { catalogue } = target.profile;
  const opened = await Promise.all(
    selections(catalogue).map(async (wanted) => {
      const place = session.receive();
      const { details } = wanted;
      const key = await subscribe(session, { requirement: SELECT, url: place.url, details });
      if (wanted.taken !== undefined) await unsubscribe(session, { key, details: wanted.taken });
      return { place, wanted };
    }),
  );
  // Another merchant hears of nothing.
  const other = await openBeside(session);
  const foreign = other?.receive();
  if (other !== undefined && foreign !== undefined)
    await subscribe(other, { requirement: SELECT, url: foreign.url });

  const types = new Map<string | undefined, string>();
  for (const type of typesOf(target.profile)) {
    // oxlint-disable-next-line no-await-in-loop -- in order, so that a failure reads like the catalogue
    types.set(await controls.events?.emit(type), type);
  }
  const come = (attempts: readonly { readonly body: Uint8Array }[]): readonly string[] =>
    attempts.flatMap(({ body }) => types.get(idOf(body, target.profile)) ?? []);
  for (const { place, wanted } of opened) {
    const meant = selected(wanted, catalogue);
    // oxlint-disable-next-line no-await-in-loop -- all have been under way since the events were
    await place.until(
      (attempts) => [...meant].every((type) => come(attempts).includes(type)),
      target.receiver?.deliveryMs ?? 0,
    );
  }
  await settled(session);
  for (const { place, wanted } of opened) {
    const meant = [...selected(wanted, catalogue)].toSorted();
    const sent = come(place.attempts).toSorted();
    must(wanted.taken === undefined ? SELECT : SUBTRACT, sent.join() === meant.join(), () => {
      const taken = wanted.taken === undefined ? "" : ` without ${JSON.stringify(wanted.taken)}`;
      return `${JSON.stringify(wanted.details)}${taken}: ${list(meant)} expected, ${list(sent)} came`;
    });
  }
  const strays = come(foreign?.attempts ?? []);
  must(SELECT, strays.length === 0, () => `another merchant was sent ${list(strays)}`);
}

/** At most nine: a merchant has ten subscriptions. */
function selections(catalogue: Session["target"]["profile"]["catalogue"]): readonly Wanted[] {
  const [first, second = first, third = first] = catalogue;
  const last = catalogue.at(-1);
  if (first === undefined || second === undefined || third === undefined || last === undefined)
    return [{ details: ALL }];
  const categories = [...new Set(catalogue.map(({ category }) => category))];
  const category = (name: string): Details => ({ type: "CATEGORY", details: [name] });
  const event = (...details: readonly string[]): Details => ({ type: "EVENT", details });
  return [
    { details: event(first.type) },
    { details: event(second.type, last.type), taken: event(second.type) },
    ...categories.slice(0, 3).map((name) => ({ details: category(name) })),
    { details: ALL },
    { details: ALL, taken: category(first.category) },
    { details: ALL, taken: event(third.type) },
    { details: category(first.category), taken: event(first.type) },
  ];
}

function selected(
  { details, taken }: Wanted,
  catalogue: Session["target"]["profile"]["catalogue"],
): ReadonlySet<string> {
  const away = taken === undefined ? new Set() : named(taken, catalogue);
  return new Set([...named(details, catalogue)].filter((type) => !away.has(type)));
}

function list(types: readonly string[]): string {
  return types.length === 0 ? "nothing" : types.join(", ");
}
