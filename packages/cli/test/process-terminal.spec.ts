import { describe, expect, it } from "vitest";
import { processTerminal } from "../src/process-terminal.ts";

function streams(isTTY: boolean, env: Readonly<Record<string, string>> = {}) {
  const written: string[] = [];
  const write = (name: string) => (text: string) => written.push(`${name} ${text}`);
  const stream = (name: string) => ({ isTTY, columns: 12, write: write(name) });
  const terminal = processTerminal({ stdout: stream("out"), stderr: stream("err"), env });
  return { written, terminal };
}

describe("the terminal of a process", () => {
  it("shows progress on one line of stderr that the next line or an empty progress clears", () => {
    const { written, terminal } = streams(true);
    terminal.progress?.("1/2 a check with a long name");
    terminal.out("pass");
    terminal.err("note");
    terminal.progress?.("2/2");
    terminal.progress?.("");
    terminal.out("end");
    const clear = "err \r\u001b[K";
    expect(written).toEqual([
      "err 1/2 a check",
      clear,
      "out pass\n",
      "err note\n",
      "err 2/2",
      clear,
      "out end\n",
    ]);
  });

  it("shows no progress and no colours if it is not a terminal", () => {
    expect(streams(false).terminal.progress).toBeUndefined();
    expect(streams(false).terminal.paint).toBeUndefined();
  });

  it("colours a word, unless NO_COLOR has a value or TERM is dumb", () => {
    expect(streams(true).terminal.paint?.("FAIL", "bad")).toBe("\u001b[31mFAIL\u001b[0m");
    expect(streams(true, { NO_COLOR: "" }).terminal.paint).toBeDefined();
    expect(streams(true, { NO_COLOR: "1" }).terminal.paint).toBeUndefined();
    expect(streams(true, { TERM: "dumb" }).terminal.paint).toBeUndefined();
  });
});
