import type { CheckOf, ProviderTarget, ReceiverTarget, Target } from "@countersign/contract-kit";
import type { Good } from "./good.ts";
import type { Fault } from "./matrix.ts";

/** All that the matrix of one role is made of. */
export interface Part<T extends Target> {
  readonly role: T["role"];
  readonly checks: readonly CheckOf<T>[];
  readonly faults: readonly Fault<T>[];
  readonly good: readonly Good<T>[];
  /** Broken targets that are met at the same time. Default 1. */
  readonly atOnce?: number;
  /** Scenarios of a generated check. Default: the kit's. */
  readonly runs?: number;
}

export async function receiverPart(): Promise<Part<ReceiverTarget>> {
  const { receiverChecks: checks } = await import("@countersign/contract-kit");
  const { receiverFaults: faults } = await import("./receivers/faults.ts");
  const { ourReceivers } = await import("./good/ours.ts");
  const { handWritten } = await import("./good/by-hand.ts");
  const { otherLanguages } = await import("./good/other-languages.ts");
  const good = [...ourReceivers, ...handWritten, ...otherLanguages];
  return { role: "receiver", checks, faults, good, atOnce: 4 };
}

export type AnyPart = Part<ReceiverTarget> | Part<ProviderTarget>;

export const parts: Readonly<Partial<Record<Target["role"], () => Promise<AnyPart>>>> = {
  receiver: receiverPart,
  provider: async () => (await import("./providers/provider-part.ts")).providerPart(),
};
