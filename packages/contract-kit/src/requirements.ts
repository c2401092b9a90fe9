import { createRequire } from "node:module";
import type { Requirement, Role } from "./requirement.ts";

// The documents are looked up by role, and as a package's data they need no import of each.
const load = createRequire(import.meta.url);

/** The requirements of a role, or of both, as `@countersign/contracts` has them. */
export function requirements(role?: Role): readonly Requirement[] {
  const roles: readonly Role[] = role === undefined ? ["provider", "receiver"] : [role];
  return roles.flatMap((one) => {
    // The package's own schema says so, and a test of the workspace holds its files to it.
    const document = load(`@countersign/contracts/requirements/${one}.json`) as {
      readonly requirements: readonly Omit<Requirement, "role">[];
    };
    return document.requirements.map((requirement) => ({ ...requirement, role: one }));
  });
}
