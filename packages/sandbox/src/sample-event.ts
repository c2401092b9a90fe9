import { readJson } from "@countersign/rules";
import type { Profile } from "@countersign/schemas/profiles";
import {
  type EventKind,
  newId,
  policyOf,
  type Random,
  subjectOf,
  writtenTime,
} from "@countersign/service";
import { sampleData } from "./sample-data.ts";
import { withSourceNumbers } from "./source-numbers.ts";

export interface SampleOrder {
  readonly profile: Profile;
  /** The event's name in the profile's catalogue. */
  readonly type: string;
  /** When it happens, in milliseconds since 1970. */
  readonly at: number;
  readonly random: Random;
  /** The event's id. Default: a new one. */
  readonly id?: string | undefined;
  /** JSON text of the event's data. Default: a sample of its kind. */
  readonly data?: string | undefined;
}

/**
 * `UNKNOWN_EVENT`: the catalogue has no such name. `DATA_UNUSABLE`: `data` is no JSON object; numbers
 * keep their digits.
 */
export type SampleEvent =
  | { readonly ok: true; readonly id: string; readonly body: string }
  | { readonly ok: false; readonly code: "UNKNOWN_EVENT" | "DATA_UNUSABLE" };

/** An event that nothing has happened for, in the profile's form, as the text that is signed and sent. */
export function sampleEvent({ profile, type, at, random, ...given }: SampleOrder): SampleEvent {
  const { events } = policyOf(profile);
  const row = profile.catalogue.find((one) => one.type === type);
  if (row === undefined) return { ok: false, code: "UNKNOWN_EVENT" };
  const kind = kindOf(row.kind);
  const data = given.data === undefined ? sampleData[kind]({ random, at }) : dataOf(given.data);
  if (data === undefined) return { ok: false, code: "DATA_UNUSABLE" };
  const id = given.id ?? newId(random, "evt");
  const { category, resource } = row;
  const subject = subjectOf(kind, data);
  const timestamp = writtenTime(at);
  const envelope = events.envelope({ id, type, category, timestamp, data, resource, subject });
  return { ok: true, id, body: JSON.stringify(envelope) };
}

/** The moment of a catalogue's row, or that of a payment where the provider has a moment of its own. */
function kindOf(kind: string | undefined): EventKind {
  // The keys of a record by kind are the kinds.
  const kinds = Object.keys(sampleData) as EventKind[];
  return kinds.find((one) => one === kind) ?? "payment.created";
}

function dataOf(text: string): object | undefined {
  const json = readJson(text, { depth: 64, numbers: "all" });
  if (!json.ok) return undefined;
  const data = withSourceNumbers(json.value, "", json.numbers);
  return typeof data === "object" && data !== null && !Array.isArray(data) ? data : undefined;
}
