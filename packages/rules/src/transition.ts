/** One move of a state machine as data: what docs, pictures and properties are made from. */
export interface Transition<
  State extends string = string,
  Trigger extends string = string,
  Condition extends string = string,
> {
  /** `undefined`: nothing exists yet. */
  readonly from: State | undefined;
  readonly trigger: Trigger;
  /** In words; `undefined`: always. */
  readonly condition: Condition | undefined;
  readonly to: State;
  /** In words: what else changes, and the event of the state entered. `undefined`: nothing. */
  readonly effect: string | undefined;
}

/**
 * Prints transitions as a Mermaid state diagram (`stateDiagram-v2`), one arrow a row in the rows'
 * order, with `trigger [condition] / effect` on it. Characters that Mermaid reads as its own become
 * its entity codes.
 */
export function mermaid(transitions: readonly Transition[]): string {
  const arrows = transitions.map(
    ({ from = "[*]", to, ...row }) => `    ${from} --> ${to}: ${label(row)}`,
  );
  return ["stateDiagram-v2", ...arrows, ""].join("\n");
}

function label({
  trigger,
  condition,
  effect,
}: Pick<Transition, "trigger" | "condition" | "effect">): string {
  const text =
    trigger +
    (condition === undefined ? "" : ` [${condition}]`) +
    (effect === undefined ? "" : ` / ${effect}`);
  return text.replaceAll(/[#;:<>{}"]/g, (character) => `#${character.charCodeAt(0)};`);
}
