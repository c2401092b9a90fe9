import type { Transition } from "./transition.ts";

/**
 * Prints transitions as a Mermaid state diagram: `trigger [condition] / effect` on each arrow, one
 * line a row, in the rows' order.
 */
export function mermaid(transitions: readonly Transition<string, string>[]): string {
  const arrows = transitions.map(
    ({ from = "[*]", to, ...row }) => `    ${from} --> ${to}: ${label(row)}`,
  );
  return ["stateDiagram-v2", ...arrows, ""].join("\n");
}

function label({
  trigger,
  condition,
  effect,
}: Pick<Transition<string, string>, "trigger" | "condition" | "effect">): string {
  return (
    trigger +
    (condition === undefined ? "" : ` [${condition}]`) +
    (effect === undefined ? "" : ` / ${effect}`)
  );
}
