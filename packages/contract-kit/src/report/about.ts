import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type { Profile } from "@countersign/schemas";
import type { Role } from "../requirement.ts";

/** What a report is of, so that it can be told from another and made again. */
export interface ReportAbout {
  readonly role: Role;
  /** The target's URL, without a user's name, password, query or fragment. */
  readonly target: string;
  readonly profile: { readonly name: string; readonly digest: string };
  readonly seed: number;
  /** Whether a SHOULD that does not hold is a failure. */
  readonly strict: boolean;
  /** When the run began, ISO 8601 in UTC. */
  readonly startedAt: string;
  /** Version of this kit. */
  readonly kit: string;
  /** SHA-256 of the requirements' documents, as canonical JSON. */
  readonly requirements: string;
}

export interface AboutOptions {
  readonly role: Role;
  readonly url: string;
  readonly profile: Profile;
  readonly seed: number;
  readonly isStrict: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

// The manifest is beside both src/ and dist/, and the documents are another package's data.
const load = createRequire(import.meta.url);

export function reportAbout(options: AboutOptions): ReportAbout {
  const { role, url, profile, seed, isStrict: strict, startedAt } = options;
  // npm packs no package without a version.
  const { version } = load("../../package.json") as { readonly version: string };
  return {
    role,
    target: withoutSecrets(url),
    profile: { name: profile.name, digest: digestOf(profile) },
    seed,
    strict,
    startedAt: new Date(startedAt).toISOString(),
    kit: version,
    requirements: digestOf(
      ["provider", "receiver"].map(
        (one): unknown => load(`@countersign/contracts/requirements/${one}.json`) as unknown,
      ),
    ),
  };
}

/** An address as a report may tell it: what people put keys into is left out. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return "(not a URL)";
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname}${search === "" ? "" : "?…"}`;
}

function digestOf(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonical(value)).digest("hex")}`;
}

/** JSON without space and with members in the order of their names: equal documents, equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
