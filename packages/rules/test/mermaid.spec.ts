import { describe, expect, it } from "vitest";
import { customerTransitions } from "../src/customer.ts";
import { mermaid } from "../src/transition.ts";
import { refundTransitions } from "../src/refund-transitions.ts";

describe("a Mermaid diagram", () => {
  it("has an arrow for each row, with what is known of it", () => {
    expect(
      mermaid([
        { from: undefined, trigger: "make", condition: undefined, to: "A", effect: undefined },
        { from: "A", trigger: "time", condition: "late", to: "B", effect: undefined },
        { from: "B", trigger: "undo", condition: undefined, to: "A", effect: "event" },
      ]),
    ).toBe(
      [
        "stateDiagram-v2",
        "    [*] --> A: make",
        "    A --> B: time [late]",
        "    B --> A: undo / event",
        "",
      ].join("\n"),
    );
  });

  it("writes characters that Mermaid reads as its own as entity codes", () => {
    expect(
      mermaid([{ from: "A", trigger: '#;:<>{}"', condition: undefined, to: "B", effect: "é" }]),
    ).toBe("stateDiagram-v2\n    A --> B: #35;#59;#58;#60;#62;#123;#125;#34; / é\n");
  });

  it.each([
    ["refunds", refundTransitions],
    ["customers", customerTransitions],
  ])("of %s has no character left that breaks a line of it", (_, transitions) => {
    const [, ...lines] = mermaid(transitions).trimEnd().split("\n");
    expect(lines).toHaveLength(transitions.length);
    for (const line of lines) expect(line).toMatch(/^ {4}\S+ --> \w+: (?:[^#;:<>{}"\n]|#\d+;)+$/);
  });
});
