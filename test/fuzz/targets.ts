import { mounts } from "../../packages/receiver/test/adapters/mounts.ts";

/**
 * Every mount but the stand-in for Next.js: it makes a Web `Request` of each method, and the platform
 * throws for some; `toFetch` itself is met on Hono.
 */
export const targets = mounts.filter(({ name }) => !name.includes("Next.js"));
