import type { Transition } from "./transition.ts";

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
