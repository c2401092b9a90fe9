import type { Claim } from "./claim.ts";

/** Claims from the claim to the settlement, or until they are given back. */
export class UnderWay {
  readonly #ends = new Map<Claim, PromiseWithResolvers<void>>();

  get isEmpty(): boolean {
    return this.#ends.size === 0;
  }

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

  /** Resolves when all of these are done with. */
  async endOf(claims: readonly Claim[]): Promise<void> {
    await Promise.all(claims.flatMap((claim) => this.#ends.get(claim)?.promise ?? []));
  }

  /** Resolves when any of them is done with. */
  async endOfOne(): Promise<void> {
    await Promise.race([...this.#ends.values()].map(({ promise }) => promise));
  }
}
