import type { Exchange } from "../check.ts";

/** The target does not do what a requirement says. Thrown inside a scenario, never out of a check. */
export class Violation extends Error {
  readonly requirement: string;
  /** Lines for a shell that show it again; set by the scenario that it was thrown in. */
  curl: readonly string[] = [];
  /** The last exchanges; likewise. */
  exchanges: readonly Exchange[] = [];
  constructor(requirement: string, message: string) {
    super(message);
    this.name = "Violation";
    this.requirement = requirement;
  }
}

/**
 * The target cannot be brought to what the scenario is about, and is not to blame. Thrown inside a scenario:
 * its requirements are `not_applicable`.
 */
export class NotShown extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NotShown";
  }
}

/** @throws {Violation} `holds` is false. */
export function must(requirement: string, holds: boolean, message: () => string): asserts holds {
  if (!holds) throw new Violation(requirement, message());
}
