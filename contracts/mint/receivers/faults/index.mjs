import { handling } from "./handling.mjs";
import { verification } from "./verification.mjs";

export const faults = [...verification, ...handling];
