import { describe, expect, it } from "vitest";
import { missing } from "../fixtures.ts";
import {
  bodies,
  compilerOutput,
  goAmounts,
  javaOutput,
  pythonAmounts,
  run,
  rustOutput,
  strictTypeScript,
  written,
} from "./compile.ts";

describe.each(["standard", "x-signature"] as const)("generated types of profile %s", (profile) => {
  const amounts = [...bodies(profile).keys()];

  it("compile as strict TypeScript that narrows an event by its type", async () => {
    expect(await strictTypeScript(profile)).toBe("");
  });

  it("keep an amount exactly in Python and refuse a float", async ({ skip }) => {
    skip(...missing("python3"));
    const expected = amounts.map((amount) => `${amount} ${amount}`);
    expect(await pythonAmounts(profile)).toEqual(expected);
  });

  it("compile as Rust without a warning", async ({ skip }) => {
    skip(...missing("rustc"));
    expect(await rustOutput(profile)).toBe("");
  });

  it("keep an amount's text in Go", async ({ skip }) => {
    skip(...missing("go", "version"));
    expect(await goAmounts(profile)).toEqual([...amounts, "true"]);
  });

  it("have valid Ruby syntax", async ({ skip }) => {
    skip(...missing("ruby"));
    expect(run("ruby", ["-wc", await written("ruby", profile)])).toContain("Syntax OK");
  });

  it("compile as Swift", async ({ skip }) => {
    skip(...missing("swiftc"));
    expect(compilerOutput("swiftc", ["-typecheck", await written("swift", profile)])).toBe("");
  });
});

it("generated types of both profiles compile as Java without a warning", async ({ skip }) => {
  skip(...missing("javac"));
  expect(await javaOutput()).toBe("");
});
