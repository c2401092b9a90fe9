import { describe, expect, it } from "vitest";
import { injectedInto, meetProvider, meetReceiver } from "./meet.ts";

// A sample; the slow lane meets every behaviour, as a receiver, as its effects and as a provider.
describe("a run against a hostile target", { timeout: 60_000 }, () => {
  it.concurrent.each([
    "answers 500 with markup and commands",
    "sends headers without end",
    "redirects",
  ])("ends with a safe report if a receiver %s", async (name) => {
    const { document, asked, injected } = await meetReceiver(name, "attempts");
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((line) => !/^[A-Z]+ \/webhooks HTTP\/1\.1$/.test(line))).toEqual([]);
    expect(document.exitCode).not.toBe(0);
    expect(injected).toEqual([]);
  });

  it.concurrent.each([
    "never answers",
    "hangs up at once",
    "resets the connection in the middle of an answer",
    "sends a body a byte at a time",
    "sends a body without end",
    "sends a gzip bomb",
    "answers 200 with markup and commands",
    "answers with deeply nested arrays",
    "answers with deeply nested objects",
    "answers with members of Object.prototype",
    "redirects",
  ])("ends with a safe report if a provider %s", async (name) => {
    const secret = "a-secret-of-the-client";
    const { report, injected } = await meetProvider(name, secret);
    expect([1, 2]).toContain(report.exitCode);
    expect(report.findings.filter(({ status }) => status === "pass")).toEqual([]);
    expect(JSON.stringify(report.findings)).not.toContain(secret);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(injected).toEqual([]);
  });

  it("recognizes an injection in each format", () => {
    const seen = (format: string, text: string): number => injectedInto(format, text).length;
    expect(seen("terminal", "\u001b]0;pwned\u0007")).toBe(1);
    expect(seen("html", "<img src=x onerror=pwned>")).toBe(2);
    expect(seen("junit", "]]><pwned/>")).toBe(1);
    expect(seen("github", "x\n::set-output name=pwned::1")).toBe(1);
    expect(seen("json", "\u009b31m")).toBe(1);
  });
});
