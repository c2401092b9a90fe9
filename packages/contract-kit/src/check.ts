import { createRequire } from "node:module";
import type { Exchange } from "./exchange-text.ts";
import type { ReceiverTarget } from "./harness/receiver-target.ts";
import type { ProviderTarget, SenderTarget, Target } from "./target.ts";

export interface CheckContext {
  /** Seed of all generated data; equal seeds make equal scenarios. */
  readonly seed: number;
  /** Ids of the requirements that the run judges. Default: all of the check's. */
  readonly selected?: readonly string[];
  /** True if no check was left out: each fault is named by its own. Default false. */
  readonly isWhole?: boolean;
  /** Number of scenarios of a generated check, 1 or more. */
  readonly runs: number;
  /** Aborted if the run is interrupted: a check then reports what it has seen. */
  readonly signal?: AbortSignal;
}

/** Code that tests one or more requirements against a live target. */
export interface CheckOf<T extends Target> {
  /** `provider/…`, `sender/…` or `receiver/…`; never renamed. */
  readonly id: string;
  readonly title: string;
  readonly role: T["role"];
  /** Ids of the requirements that it tests. Where the first does not apply, the check does not run. */
  readonly requirements: readonly string[];
  /**
   * @returns A verdict of each of its requirements.
   * @throws {Error} The check itself broke, or the target does not answer: an `error`, never a failure.
   */
  readonly run: (target: T, context: CheckContext) => Promise<readonly Verdict[]>;
}

export type ProviderCheck = CheckOf<ProviderTarget>;
export type ReceiverCheck = CheckOf<ReceiverTarget>;
export type SenderCheck = CheckOf<SenderTarget>;

/** A check's verdict about one requirement. */
export type Verdict =
  | { readonly requirement: string; readonly status: "pass" }
  | {
      readonly requirement: string;
      readonly status: "fail";
      /** Expected and actual behaviour, in one or two sentences. */
      readonly message: string;
      /** Requests and answers in order; the last exchange failed. */
      readonly exchanges?: readonly Exchange[];
      /** True if a correct target may behave so: it never fails the run. */
      readonly isWarning?: boolean;
    }
  | {
      readonly requirement: string;
      /** The target lacks what the check needs, or an earlier failure ended the check. */
      readonly status: "not_applicable" | "skipped";
      readonly message: string;
    };

/** A check's report about one requirement. */
export interface Finding {
  readonly check: string;
  readonly requirement: Requirement;
  /**
   * `warn`: a failure at a level that does not fail the run, or what a correct target may do. `error`: the check itself broke, which says nothing about the target.
   * `not_applicable`: the target lacks what the check needs. `skipped`: by an option, or because an earlier
   * failure ended the check.
   */
  readonly status: "pass" | "fail" | "warn" | "not_applicable" | "error" | "skipped";
  /** Empty if it passes. */
  readonly message: string;
  /** Requests and answers in order; the last exchange failed. */
  readonly exchanges?: readonly Exchange[];
  /** Milliseconds: of a check with several requirements, an even share. */
  readonly ms: number;
}

/**
 * The side that a requirement is for: the provider's service, any sender of webhooks, or the merchant's receiver. What
 * is required of a sender is required of a provider too.
 */
export type Role = (typeof roles)[number];

export const roles = ["provider", "sender", "receiver"] as const;

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
  /** Never renamed, never used again. `P-` is the provider's and the sender's, `R-` the receiver's. */
  readonly id: string;
  readonly role: Role;
  readonly level: Level;
  /** The first version of the requirements that has it, as `2026-11`. */
  readonly since: string;
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

/** Returns the versions of a list of requirements, the newest first: a version has what is not newer than it. */
export function requirementVersions(
  list: readonly Requirement[] = requirements(),
): readonly string[] {
  return [...new Set(list.map(({ since }) => since))].toSorted().toReversed();
}

// The documents are looked up by role, and as a package's data they need no import of each.
const load = createRequire(import.meta.url);

/** True if a target of the role must fulfil the requirement. */
export function concerns({ role }: Pick<Requirement, "role">, target: Role): boolean {
  return role === target || (role === "sender" && target === "provider");
}

/**
 * Returns the ids of the requirements that name a check: its own first, and those that every check sees last.
 *
 * @throws {TypeError} None names it: it would never run.
 */
export function requirementsOf(check: string, role: Role): readonly string[] {
  const own = requirements(role).filter(({ checks }) => checks.includes(check));
  if (own.length === 0) throw new TypeError(`no requirement names the check ${check}`);
  const byRarity = own.toSorted((one, other) => one.checks.length - other.checks.length);
  return byRarity.map(({ id }) => id);
}

/** Returns the requirements that concern a role, or all, as `@countersign/contracts` has them. */
export function requirements(role?: Role): readonly Requirement[] {
  return roles
    .filter((own) => role === undefined || concerns({ role: own }, role))
    .flatMap((own) => {
      // The package's own schema says so, and a test of the workspace validates its files.
      const document = load(`@countersign/contracts/requirements/${own}.json`) as {
        readonly requirements: readonly Omit<Requirement, "role">[];
      };
      return document.requirements.map((requirement) => ({ ...requirement, role: own }));
    });
}
