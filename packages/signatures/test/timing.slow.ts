import { createHmac, randomBytes, randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { standardWebhooks } from "../src/index.ts";
import { now, NOW_SECONDS, SECRET } from "./attempts.ts";

const SAMPLES = 16_000;
const CALLS = 50;
/** A larger t is not noise: a loop that stops early has a t above 300. */
const LEAK = 10;

type Compare = (sent: Uint8Array) => boolean;

/**
 * Returns Welch's t between digests that differ in the first byte and digests that differ in the last one, in random
 * order, without the slowest tenth of each.
 */
function welch(digest: Uint8Array, compare: Compare): number {
  const differing = (at: number) =>
    Array.from({ length: 64 }, () => {
      const copy = Uint8Array.from(digest);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    });
  const classes = [differing(0), differing(digest.length - 1)];
  const times: [number[], number[]] = [[], []];
  let matches = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const which = randomInt(2) === 0 ? 0 : 1;
    const sent = classes[which]?.[sample & 63] ?? digest;
    const start = process.hrtime.bigint();
    for (let call = 0; call < CALLS; call++) matches += compare(sent) ? 1 : 0;
    times[which].push(Number(process.hrtime.bigint() - start));
  }
  expect(matches).toBe(0);
  const [first, last] = times.map(momentsOf);
  if (first === undefined || last === undefined) throw new Error("two classes are compared");
  return (first.mean - last.mean) / Math.sqrt(first.error + last.error);
}

function momentsOf(times: readonly number[]): { readonly mean: number; readonly error: number } {
  const kept = times.toSorted((a, b) => a - b).slice(0, Math.floor(times.length * 0.9));
  const mean = kept.reduce((sum, time) => sum + time, 0) / kept.length;
  const squares = kept.reduce((sum, time) => sum + (time - mean) ** 2, 0);
  return { mean, error: squares / (kept.length - 1) / kept.length };
}

function stopsEarly(digest: Uint8Array): Compare {
  return (sent) => {
    for (let at = 0; at < digest.length; at++) if (digest[at] !== sent[at]) return false;
    return true;
  };
}

describe("the time of a comparison", () => {
  it("reveals the first different byte of a loop that stops there, so this test can see it", () => {
    const digest = randomBytes(32);

    expect(Math.abs(welch(digest, stopsEarly(digest)))).toBeGreaterThan(LEAK);
  });

  it("does not reveal it through verify", () => {
    const scheme = standardWebhooks();
    const body = Buffer.from("{}");
    const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
    const digest = createHmac("sha256", key).update(`a.${NOW_SECONDS}.{}`).digest();
    const attempts = new Map<Uint8Array, Record<string, string>>();
    const headersOf = (sent: Uint8Array) => ({
      "webhook-id": "a",
      "webhook-timestamp": String(NOW_SECONDS),
      "webhook-signature": `v1,${Buffer.from(sent).toString("base64")}`,
    });
    const secrets = [SECRET];

    expect(scheme.verify({ headers: headersOf(digest), body }, secrets, { now }).ok).toBe(true);
    const t = welch(digest, (sent) => {
      const headers = attempts.get(sent) ?? headersOf(sent);
      attempts.set(sent, headers);
      return scheme.verify({ headers, body }, secrets, { now }).ok;
    });
    expect(Math.abs(t)).toBeLessThan(LEAK);
  });
});
