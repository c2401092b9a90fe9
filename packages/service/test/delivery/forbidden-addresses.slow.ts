import { forbiddenSpellings } from "./forbidden-attempts.ts";

forbiddenSpellings(10_000);
