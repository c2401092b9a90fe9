import { describe, expect, it } from "vitest";
import { processTerminal } from "../src/terminal.ts";

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
    const shown = ["err 1/2 a check", clear, "out pass\n", "err note\n", "err 2/2", clear];
    expect(written).toEqual([...shown, "out end\n"]);
  });

  const printed = (isTTY: boolean, env: Readonly<Record<string, string>> = {}): string => {
    const { written, terminal } = streams(isTTY, env);
    terminal.out("FAIL  one", "bad");
    terminal.err("sends to  two", "strong");
    terminal.err("PASS: three", "good");
    return written.join("");
  };
  const plain = "out FAIL  one\nerr sends to  two\nerr PASS: three\n";
  const coloured =
    "out \u001b[31mFAIL\u001b[0m  one\nerr \u001b[1msends to\u001b[0m  two\nerr \u001b[32mPASS\u001b[0m: three\n";

  it("colours a line's first column or label, unless NO_COLOR has a value, TERM is dumb or the stream is not a terminal", () => {
    expect(streams(false).terminal.progress).toBeUndefined();
    expect(printed(false)).toBe(plain);
    expect(printed(true)).toBe(coloured);
    expect(printed(true, { NO_COLOR: "" })).toBe(coloured);
    expect(printed(true, { NO_COLOR: "1" })).toBe(plain);
    expect(printed(true, { TERM: "dumb" })).toBe(plain);
    for (const FORCE_COLOR of ["1", ""])
      expect(printed(false, { FORCE_COLOR, NO_COLOR: "1" })).toBe(coloured);
    for (const FORCE_COLOR of ["0", "false"]) expect(printed(true, { FORCE_COLOR })).toBe(plain);
  });
});
