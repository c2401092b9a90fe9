// Generated from schemas/ by `pnpm generate`. Do not edit.
import * as schemas from "./schemas.ts";
import type { Profile } from "./types.ts";
import { writer, type Validator } from "../validator.ts";

export const validateProfile: Validator<Profile> = /* @__PURE__ */ writer(schemas.Profile);
