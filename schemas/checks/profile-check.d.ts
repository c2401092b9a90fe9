// Generated from schemas/ by `pnpm generate`. Do not edit.
import type { RawValidator } from "../src/validator.ts";
export declare const checks: {
  readonly Profile: RawValidator;
};
