import type { PassedOverRefund } from "../use-cases/refunds.ts";

/** Milliseconds after which refunds that could not be moved are tried again, and told again. */
const PATIENCE_MS = 60_000;

/** The refunds that could not be moved lately: each is told of once, and looked at again later. */
export class PassedOver {
  readonly #tell: (refund: PassedOverRefund) => void;
  readonly #ids = new Set<string>();
  #forgottenAt = 0;

  constructor(tell: (refund: PassedOverRefund) => void) {
    this.#tell = tell;
  }

  /** @param now Real time, in milliseconds. */
  add(refunds: readonly PassedOverRefund[], now: number): void {
    if (this.#ids.size === 0) this.#forgottenAt = now + PATIENCE_MS;
    for (const refund of refunds) {
      if (this.#ids.has(refund.id)) continue;
      this.#ids.add(refund.id);
      this.#tell(refund);
    }
  }

  /** Ids of those that are left alone. @param now Real time, in milliseconds. */
  ids(now: number): ReadonlySet<string> {
    if (now >= this.#forgottenAt) this.#ids.clear();
    return this.#ids;
  }
}
