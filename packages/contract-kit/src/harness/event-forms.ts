import type { ProviderDocument } from "@countersign/schemas/providers";
import {
  conditionOf,
  parsePlace,
  Places,
  type PlaceSource,
  type PlaceValue,
} from "@countersign/signatures/places";
import type { SignatureScheme } from "@countersign/signatures";
import { sendsForms } from "./request-draft.ts";

type EventPlaces = ProviderDocument["event"];
type Condition = NonNullable<ProviderDocument["require"]>[number];

/** A form of a provider's events: where their parts are. */
export interface EventForm {
  readonly event: EventPlaces;
  /** The conditions that distinguish it from the provider's other forms. */
  readonly when: readonly Condition[];
  /** Places and fixed parts of the type. */
  readonly typeParts: readonly (string | { readonly text: string })[];
  readonly separator: string;
  /** Places of the whole id. */
  readonly idPlaces: readonly string[];
  /** The places of the id that have no other part of the event: the first one differs between events. */
  readonly ownIdPlaces: readonly string[];
  /** True if it is sent as a form, not as JSON. */
  readonly isForm: boolean;
  /** The place of the event's data; that of the body, the item or the form if the document names none. */
  readonly dataAt: string;
}

/** The forms of a provider's events, the document's first one first. */
export function formsOf(provider: ProviderDocument): readonly [EventForm, ...EventForm[]] {
  const { timestamp, batch, variants = [] } = provider;
  const form = (event: EventPlaces, when: readonly Condition[]): EventForm => {
    const isForm = sendsForms({ ...provider, event });
    const typeParts = [event.type].flat();
    const idPlaces = [event.id ?? []].flat();
    const others = [...typeParts, event.time?.at, timestamp?.at];
    const whole = isForm ? "form:" : batch === undefined ? "body:" : "item:";
    return {
      event,
      when,
      isForm,
      typeParts,
      separator: event.separator ?? ".",
      idPlaces,
      ownIdPlaces: idPlaces.filter((place) => !others.includes(place)),
      dataAt: event.data ?? whole,
    };
  };
  return [form(provider.event, []), ...variants.map((one) => form(one.event, [one.when].flat()))];
}

/** True if events of any type can have the form: its type is not a fixed text. */
export const isOpen = ({ typeParts }: EventForm): boolean =>
  typeParts.some((part) => typeof part === "string");

/** True if a type begins with the fixed text of the form's: Twilio's calls are not its messages. */
export function isOfForm({ typeParts: [first], separator }: EventForm, type: string): boolean {
  return typeof first === "object" && type.startsWith(first.text + separator);
}

/**
 * The form of a type's events that only some of the provider's messages have, such as Slack's commands and
 * interactions: its conditions name the type, or only it has the categories of the catalogue.
 */
export function ownFormOf(
  provider: ProviderDocument,
  type: string,
  forms: readonly EventForm[] = formsOf(provider),
): EventForm | undefined {
  const { event, catalogue = [] } = provider;
  const isListed = catalogue.some((row) => row.type === type && row.category !== undefined);
  const hasCategory = isListed && event.category === undefined;
  return forms.find(
    (form) =>
      (hasCategory && form.event.category === "catalogue") ||
      form.when.some(
        ({ at, equals, startsWith }) =>
          form.typeParts[0] === at &&
          (equals === type || (startsWith !== undefined && type.startsWith(startsWith))),
      ),
  );
}

/**
 * True if a type is sent as JSON, or as a form, like the usual events of the provider: Slack's commands and interactions,
 * which are not, have an address of their own.
 */
export function isUsualType(provider: ProviderDocument, type: string): boolean {
  const forms = formsOf(provider);
  return (ownFormOf(provider, type, forms) ?? forms[0]).isForm === forms[0].isForm;
}

export interface EventFacts {
  /** The event's id where the provider's document has it; `undefined` if it has none. */
  readonly id: string | undefined;
  readonly type: string | undefined;
  /** Number of events of a batch; 1 without a batch. */
  readonly count: number;
  /** Reads another place of the event. */
  readonly read: (place: string) => PlaceValue | undefined;
}

/** Reads the event of a request, of a batch's first one, at the places of the provider's document. */
export function readEvent(
  provider: ProviderDocument,
  scheme: SignatureScheme,
  request: PlaceSource,
): EventFacts {
  const { batch } = provider;
  const whole = new Places(request);
  const items = batch === undefined ? undefined : whole.any(parsePlace(batch));
  const places = Array.isArray(items) ? whole.ofItem(items[0]) : whole;
  // Some places are pairs inside the signature's header, which the scheme reads.
  const checked = scheme.checkHeaders(request.headers);
  if (checked.ok) places.fromSignature.pairs = checked.pairs;
  const [own, ...variants] = formsOf(provider);
  const isMet = ({ when }: EventForm): boolean => when.every((one) => conditionOf(one)(places));
  const { idPlaces, typeParts, separator } = variants.find(isMet) ?? own;
  const read = (place: string) => places.value(parsePlace(place));
  const ids = idPlaces.map(read);
  const [first, ...others] = typeParts.map((part) =>
    typeof part === "string" ? read(part) : part.text,
  );
  const words = [first, ...others].filter((part) => part !== undefined);
  return {
    id: ids.length === 0 || ids.includes(undefined) ? undefined : ids.join(" "),
    type: first === undefined ? undefined : words.join(separator),
    count: Array.isArray(items) ? items.length : 1,
    read,
  };
}
