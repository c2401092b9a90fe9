import { createRequire } from "node:module";
import type { Profile } from "@countersign/schemas";

/** The side that a requirement is for: the provider's service, or the merchant's receiver. */
export type Role = "provider" | "receiver";

/** Consequences of breaking a requirement, worst first. */
export const levels = [
  /** A stranger makes a target act, or learns what they must not. */
  "exploitable",
  /** Events are lost or handled twice, or money is wrong. */
  "loses-or-repeats-events",
  /** A correct peer cannot work with the target, or works badly. */
  "interoperability",
  /** A defence in depth is missing. */
  "hygiene",
] as const;

export type Level = (typeof levels)[number];

/** Levels whose failures fail a run unless the caller chooses others. */
export const defaultFailOn: readonly Level[] = ["exploitable", "loses-or-repeats-events"];

/** One testable sentence of the interface. */
export interface Requirement {
  /** Never renamed, never used again. `P-` is the provider's, `R-` the receiver's. */
  readonly id: string;
  readonly role: Role;
  /** The profile's switch of the part that it, or the check of it, is about. Default: it applies to every profile. */
  readonly needs?: "payments";
  readonly level: Level;
  readonly sentence: string;
  /** The interface's section (`S 4.1`), an RFC's, Standard Webhooks, or the receiver's promises. */
  readonly source: string;
  /** JSON Pointer of the profile's value that it depends on, if the interface leaves the point open. */
  readonly profile?: string;
  readonly why: string;
  /** The fix, in one or two sentences. */
  readonly fix: string;
  /** Ids of the checks that test it. */
  readonly checks: readonly string[];
  /** The reason why no check tests it; absent if one does. */
  readonly unchecked?: string;
}

/** True if the interface of a profile has what a requirement is about. */
export function applies({ needs }: Pick<Requirement, "needs">, profile: Profile): boolean {
  return needs === undefined || profile[needs] === true;
}

// The documents are looked up by role, and as a package's data they need no import of each.
const load = createRequire(import.meta.url);

/** Returns the requirements of a role, or of both, as `@countersign/contracts` has them. */
export function requirements(role?: Role): readonly Requirement[] {
  const roles: readonly Role[] = role === undefined ? ["provider", "receiver"] : [role];
  return roles.flatMap((one) => {
    // The package's own schema says so, and a test of the workspace validates its files.
    const document = load(`@countersign/contracts/requirements/${one}.json`) as {
      readonly requirements: readonly Omit<Requirement, "role">[];
    };
    return document.requirements.map((requirement) => ({ ...requirement, role: one }));
  });
}
