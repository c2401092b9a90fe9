import { setTimeout } from "node:timers/promises";
import type { Claim } from "./claim.ts";

/** What the rows that others have locked are left alone for, in milliseconds. */
const LOCKED_MS = 10;

/** Claims from the claim to the settlement, or until they are given back. */
export class UnderWay {
  readonly #ends = new Map<Claim, PromiseWithResolvers<void>>();

  add(claim: Claim): void {
    this.#ends.set(claim, Promise.withResolvers());
  }

  /** A claim is done with. */
  done(claim: Claim): void {
    this.#ends.get(claim)?.resolve();
    this.#ends.delete(claim);
  }

  ofClock(clockId: string): Claim[] {
    return [...this.#ends.keys()].filter((claim) => claim.clockId === clockId);
  }

  /** Resolves when all of these are done with; where there are none, when any other one is. */
  async endOf(claims: readonly Claim[]): Promise<void> {
    const ends = claims.flatMap((claim) => this.#ends.get(claim)?.promise ?? []);
    if (claims.length > 0) await Promise.all(ends);
    else if (this.#ends.size === 0) await setTimeout(LOCKED_MS);
    else await Promise.race([...this.#ends.values()].map(({ promise }) => promise));
  }
}
