import type { ProviderDocument } from "@countersign/schemas/providers";

export type Places = ProviderDocument["event"];
export type Condition = NonNullable<ProviderDocument["require"]>[number];

/** A form of a provider's events, and the conditions that tell it from others. */
export interface Form {
  readonly event: Places;
  readonly when: readonly Condition[];
}

export const placesOf = ({ id = [], type }: Places): readonly unknown[] => [id, type].flat();

/** The form whose types begin with the same fixed text as a type: Twilio's calls are not its messages. */
export function formOf({ event, variants = [] }: ProviderDocument, type: string): Form | undefined {
  const forms = [
    { event, when: [] },
    ...variants.map((one) => ({ event: one.event, when: [one.when] })),
  ];
  return forms.find(({ event: { type: parts, separator = "." } }) => {
    const [first] = [parts].flat();
    return typeof first === "object" && type.startsWith(first.text + separator);
  });
}

/** The form of events whose type can be chosen: the document's first, unless its type is a fixed text. */
export function chooseForm({ event, variants = [] }: ProviderDocument): Form {
  const isOpen = ({ type }: Places): boolean =>
    [type].flat().some((one) => typeof one === "string");
  const variant = variants.find((one) => isOpen(one.event));
  return isOpen(event) || variant === undefined
    ? { event, when: [] }
    : { event: variant.event, when: [variant.when] };
}
