import { styleText } from "node:util";

/** Prints the story. Colours only if the terminal shows them. */
export interface Narrator {
  title(text: string): void;
  /** Begins a numbered step. */
  step(text: string): void;
  /** A fact of the step: a name and its value. */
  fact(name: string, value: string): void;
  line(text: string): void;
  /** A line that another process printed. */
  heard(name: string, line: string): void;
  /** The number of steps so far. */
  steps(): number;
}

export function createNarrator(stream: NodeJS.WriteStream): Narrator {
  let steps = 0;
  const print = (text: string): void => void stream.write(`${text}\n`);
  const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
    styleText(format, text, { stream });
  return {
    title: (text) => print(`\n${paint("bold", text)}`),
    step: (text) => {
      steps += 1;
      print(`\n${paint(["bold", "cyan"], String(steps))}  ${paint("bold", text)}`);
    },
    fact: (name, value) => print(`   ${paint("dim", name.padEnd(12))} ${value}`),
    line: (text) => print(`   ${text}`),
    steps: () => steps,
    heard: (name, line) => print(`   ${paint("green", `${name} |`)} ${line}`),
  };
}
