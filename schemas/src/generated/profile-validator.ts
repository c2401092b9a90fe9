// Generated from schemas/ by `pnpm generate`. Do not edit.
import { checks } from "../../checks/profile-check.js";
import { type Validator, writer } from "../validator.ts";
import type { Profile } from "./types.ts";

/** Judges a profile's document: closed, all errors at once. */
export const validateProfile: Validator<Profile> = writer(checks.Profile);
