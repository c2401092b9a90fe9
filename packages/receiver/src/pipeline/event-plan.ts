import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Condition, SignatureScheme } from "@countersign/signatures";
import {
  conditionOf,
  type IsMet,
  type ParsedPlace,
  parsePlace,
} from "@countersign/signatures/places";
import type { EventFacts } from "./event.ts";

/** Places of an event's members, parsed once. */
export interface EventPlan {
  readonly when: IsMet | undefined;
  readonly id: readonly ParsedPlace[];
  /** Places and fixed texts. */
  readonly type: readonly (ParsedPlace | string)[];
  readonly separator: string;
  readonly category: ParsedPlace | { readonly before: string } | "catalogue" | undefined;
  readonly time: { readonly at: ParsedPlace; readonly unit: string } | undefined;
  readonly data: ParsedPlace | undefined;
  readonly live: ParsedPlace | IsMet | undefined;
  readonly account: ParsedPlace | undefined;
  readonly signed: EventFacts["signed"];
}

export function compileEvent(
  event: ProviderDocument["event"],
  scheme: Pick<SignatureScheme, "covers">,
  when?: Condition,
): EventPlan {
  const covers = (places: readonly ParsedPlace[]): boolean =>
    places.every(({ text }) => scheme.covers(text));
  const id = [event.id ?? []].flat().map(parsePlace);
  const type = [event.type]
    .flat()
    .map((part) => (typeof part === "object" ? part.text : parsePlace(part)));
  const time = event.time && { at: parsePlace(event.time.at), unit: event.time.unit };
  const { category, live } = event;
  return {
    when: when && conditionOf(when),
    id,
    type,
    separator: event.separator ?? ".",
    category:
      typeof category === "object" || category === "catalogue" ? category : optional(category),
    time,
    data: optional(event.data),
    live: typeof live === "object" ? conditionOf(live) : optional(live),
    account: optional(event.account),
    signed: {
      id: covers(id),
      type: covers(type.filter((part) => typeof part === "object")),
      time: time !== undefined && covers([time.at]),
    },
  };
}

const optional = (place: string | undefined): ParsedPlace | undefined =>
  place === undefined ? undefined : parsePlace(place);
