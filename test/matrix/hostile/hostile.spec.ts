import { describe, expect, it } from "vitest";
import { formatsOf, injectedInto, meet } from "./meet.ts";

// Some behaviours of a hostile target; the slow lane meets all of them, as the target and as its effects.
describe("the kit at a target that", () => {
  it.concurrent.each([
    "answers with markup and commands",
    "answers without end",
    "leads elsewhere",
  ])("%s comes to an end with a report, in which nothing is injected", async (name) => {
    const { document, asked, strayed } = await meet(name, "attempts");
    expect(asked.length).toBeGreaterThan(0);
    expect(strayed).toEqual([]);
    expect(document.exitCode).not.toBe(0);
    const formats = Object.entries(formatsOf(document));
    expect(formats.flatMap(([format, text]) => injectedInto(format, text))).toEqual([]);
  });

  it("would be seen to inject", () => {
    const seen = (format: string, text: string): number => injectedInto(format, text).length;
    expect(seen("terminal", "\u001b]0;pwned\u0007")).toBe(1);
    expect(seen("html", "<img src=x onerror=pwned>")).toBe(2);
    expect(seen("junit", "]]><pwned/>")).toBe(1);
    expect(seen("github", "x\n::set-output name=pwned::1")).toBe(1);
    expect(seen("json", "\u009b31m")).toBe(1);
  });
});
