import { randomInt } from "node:crypto";

/** Seed of a run's random choices; `npm run test:long -- --seed N` repeats one. */
export const seed = Number(process.env["COUNTERSIGN_SEED"] ?? randomInt(2 ** 31));
