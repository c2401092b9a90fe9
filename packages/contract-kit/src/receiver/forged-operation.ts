import type { Attempt } from "../harness/attempt-maker.ts";
import type { KitSender } from "../harness/kit-sender.ts";

/** A genuine attempt, before an operation changes a part of it. */
export interface Base {
  readonly kit: KitSender;
  readonly attempt: Attempt;
  /** Whole seconds. */
  readonly timestamp: number;
  /** An earlier genuine attempt, which the receiver has accepted. */
  readonly accepted: Attempt;
}

export interface Operation {
  /** The requirement by which the result must be refused. */
  readonly requirement: string;
  /** The result, as the subject of a sentence. */
  readonly what: string;
  /** Returns `undefined` if the provider's scheme has no such part. */
  readonly change: (base: Base) => Attempt | undefined;
}

export const op = (requirement: string, what: string, change: Operation["change"]): Operation => ({
  requirement,
  what,
  change,
});

/** A text with a change, and its name as the end of a sentence. */
export type Spelling = readonly [what: string, spell: (text: string) => string];

/** Attempts whose signature's text is changed in each of the ways. */
export const respelt = (
  requirement: string,
  spellings: readonly Spelling[],
): readonly Operation[] =>
  spellings.map(([what, spell]) =>
    op(requirement, `a signature ${what}`, ({ kit, attempt }) =>
      kit.signing.withSignature(attempt, spell),
    ),
  );

export const signedText = ({ kit, attempt }: Base, key: Uint8Array): Uint8Array =>
  kit.textOf(attempt, key) ?? Buffer.alloc(0);

/** An attempt with another query, which no signature covers that does not cover the URL. */
export function withQuery<T extends { readonly path?: string }>(attempt: T, query: string): T {
  const { path = "/" } = attempt;
  return { ...attempt, path: `${path}${path.includes("?") ? "&" : "?"}${query}` };
}

export const words = (text: string): readonly string[] => text.trim().split(/\s+/);
