import type { Exchange } from "../check.ts";

/** The target violates a requirement. Thrown inside a scenario, never out of a check. */
export class Violation extends Error {
  readonly requirement: string;
  /** Shell lines that reproduce it; set by the scenario. */
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
 * The target cannot be brought into the scenario's state, which is not its fault. Thrown inside a scenario:
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
