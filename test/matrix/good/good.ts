import type { ReceiverTarget } from "@countersign/contract-kit";
import type { Opened } from "../matrix.ts";

/** A receiver that a merchant would be proud of. */
export interface Good {
  readonly name: string;
  /** Why this machine cannot run it, where it cannot. */
  readonly missing?: string;
  /**
   * What the kit rightly finds, by the requirement's id: a flaw of the library that it is built on,
   * or of what the platform hands to it.
   */
  readonly findings?: Readonly<Record<string, string>>;
  readonly open: () => Promise<Opened<ReceiverTarget>>;
}
