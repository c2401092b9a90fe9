import { describe, expect, it } from "vitest";
import { processTerminal } from "../src/process-terminal.ts";

function streams(isTTY: boolean, env: Readonly<Record<string, string>> = {}) {
  const written: string[] = [];
  const stream = (name: string) => ({
    isTTY,
    columns: 12,
    write: (text: string) => written.push(`${name} ${text}`),
  });
  return {
    written,
    terminal: processTerminal({ stdout: stream("out"), stderr: stream("err"), env }),
  };
}

describe("progress", () => {
  it("is one line of stderr that the next line takes away", () => {
    const { terminal, written } = streams(true);
    terminal.progress?.("1/2 a check with a long name");
    terminal.out("pass");
    terminal.err("note");
    expect(written).toEqual(["err 1/2 a check", "err \r\u001b[K", "out pass\n", "err note\n"]);
  });

  it("ends without a trace", () => {
    const { terminal, written } = streams(true);
    terminal.progress?.("1/2");
    terminal.progress?.("");
    terminal.out("pass");
    expect(written).toEqual(["err 1/2", "err \r\u001b[K", "out pass\n"]);
  });

  it("is not there where stderr is no terminal", () => {
    expect(streams(false).terminal.progress).toBeUndefined();
  });
});

describe("colours", () => {
  it("are a terminal's, and end with their word", () => {
    expect(streams(true).terminal.paint?.("FAIL", "bad")).toBe("\u001b[31mFAIL\u001b[0m");
  });

  it.each([
    [false, {}],
    [true, { NO_COLOR: "1" }],
    [true, { TERM: "dumb" }],
  ])("are not there where nobody looks, or wants none: %j, %j", (isTTY, env) => {
    expect(streams(isTTY, env).terminal.paint).toBeUndefined();
  });

  it("stay with NO_COLOR that is empty", () => {
    expect(streams(true, { NO_COLOR: "" }).terminal.paint).toBeDefined();
  });
});
