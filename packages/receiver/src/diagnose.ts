import type { HeadersLike, Secret, StatedScheme } from "@countersign/signatures";

/** A refused attempt with everything that verified it. */
export interface RefusedAttempt {
  readonly headers: HeadersLike;
  readonly body: Uint8Array;
  readonly secrets: readonly Secret[];
  readonly signature: StatedScheme;
  /** The receiver's clock when the attempt arrived, in milliseconds. */
  readonly now: number;
  readonly toleranceSeconds: number;
}

/**
 * Explains why a signature was refused, one line for each cause, for a developer's log: never for the sender. Loads
 * its code on first use, so that receivers without `explain` do not pay for it.
 */
export async function diagnose({
  headers,
  body,
  secrets,
  signature,
  ...clock
}: RefusedAttempt): Promise<readonly string[]> {
  const { explain } = await import("@countersign/signatures/explain");
  const causes = explain({ headers, body }, secrets, { scheme: signature, ...clock });
  return causes.map(({ certain, sentence, fix }) =>
    certain ? `${sentence} ${fix}` : `Probably: ${sentence} ${fix}`,
  );
}
