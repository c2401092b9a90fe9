import { describe, expect, it } from "vitest";
import { mermaid } from "../src/index.ts";

describe("a transition table", () => {
  it("draws a Mermaid arrow for each row, with its condition and effect, and escapes Mermaid's characters", () => {
    expect(
      mermaid([
        { from: undefined, trigger: "make", condition: undefined, to: "A", effect: undefined },
        { from: "A", trigger: "time", condition: "late", to: "B", effect: undefined },
        { from: "B", trigger: '#;:<>{}"', condition: undefined, to: "A", effect: "é" },
      ]),
    ).toBe(
      [
        "stateDiagram-v2",
        "    [*] --> A: make",
        "    A --> B: time [late]",
        "    B --> A: #35;#59;#58;#60;#62;#123;#125;#34; / é",
        "",
      ].join("\n"),
    );
  });
});
