import { type Profile, profiles } from "@countersign/schemas/profiles";
import { membersOf } from "./json-pointer.ts";
import type { EnvelopePointers } from "./receiver-parts.ts";

/** A built-in profile by its name, or the given document. */
export function profileOf(profile: string | Profile = "standard"): Profile {
  if (typeof profile === "object") return profile;
  if (Object.hasOwn(profiles, profile)) return profiles[profile as keyof typeof profiles];
  const names = Object.keys(profiles).map((name) => JSON.stringify(name));
  throw new TypeError(
    `createReceiver: no profile ${JSON.stringify(profile)}; there are ${names.join(" and ")}`,
  );
}

/** Where the profile keeps the envelope's members. */
export function envelopeOf({ envelope }: Profile): EnvelopePointers {
  return {
    id: membersOf(envelope.id),
    type: membersOf(envelope.type),
    timestamp: membersOf(envelope.timestamp),
    data: membersOf(envelope.data),
  };
}
