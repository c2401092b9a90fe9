/** Who owes a requirement: the provider's service, or the merchant's receiver. */
export type Role = "provider" | "receiver";

/** One testable sentence of the interface. */
export interface Requirement {
  /** Never renamed, never used again. `P-` is the provider's, `R-` the receiver's. */
  readonly id: string;
  readonly role: Role;
  readonly level: "MUST" | "SHOULD";
  readonly sentence: string;
  /** The interface's section (`S 4.1`), an RFC's, Standard Webhooks, or the receiver's promises. */
  readonly source: string;
  /** JSON Pointer of the profile's value that it rests on, where the interface leaves the point open. */
  readonly profile?: string;
  readonly why: string;
  /** What to change where it does not hold, in one or two sentences. */
  readonly fix: string;
  /** Ids of the checks that test it. */
  readonly checks: readonly string[];
  /** Why no check tests it; absent where one does. */
  readonly unchecked?: string;
}
