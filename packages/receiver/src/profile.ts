import { type Profile, profiles } from "@countersign/schemas/profiles";
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
    id: members(envelope.id),
    type: members(envelope.type),
    timestamp: members(envelope.timestamp),
    data: members(envelope.data),
  };
}

/** The members that a JSON Pointer names, from the root on (RFC 6901 section 4). */
function members(pointer: string): readonly string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((member) => member.replaceAll("~1", "/").replaceAll("~0", "~"));
}
