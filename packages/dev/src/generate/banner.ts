/** The first line of every generated file. */
export const BANNER = "// Generated from schemas/ by `pnpm generate`. Do not edit.";
