import { readFileSync } from "node:fs";

/** An arrow of a state diagram: `FROM --> TO: TRIGGER [CONDITION] / EFFECT`. */
export interface Move {
  /** `undefined`: nothing exists yet. */
  readonly from: string | undefined;
  readonly to: string;
  readonly trigger: string;
  readonly condition: string | undefined;
  readonly effect: string;
}

const architecture = readFileSync(new URL("../../../ARCHITECTURE.md", import.meta.url), "utf8");

/** Reads the moves that ARCHITECTURE.md draws below a line such as `A refund (S 3.1):`. */
export function drawnMoves(title: string): readonly Move[] {
  const [, below = ""] = architecture.split(`\n${title}\n`);
  const [diagram = ""] = /(?<=^```mermaid\nstateDiagram-v2\n)[^`]*/m.exec(below) ?? [];
  return diagram.trimEnd().split("\n").map(readMove);
}

function readMove(line: string): Move {
  // Mermaid's entities of characters that it reads as its own.
  const text = line.replaceAll(/#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  const arrow = /^ {4}(\S+) --> (\S+): (\S+)(?: \[([^\]]+)\])? \/ (.+)$/.exec(text);
  if (arrow === null) throw new Error(`not an arrow of a state diagram: ${line}`);
  const [, from = "", to = "", trigger = "", condition, effect = ""] = arrow;
  return { from: from === "[*]" ? undefined : from, to, trigger, condition, effect };
}
