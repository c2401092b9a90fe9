import { requirements } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { ran } from "./ran.ts";

describe("countersign requirements", () => {
  it("prints one line a requirement of both roles", async () => {
    const { status, out, err } = await ran(["requirements"]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(requirements().length);
    expect(lines.map((line) => line.split(" ", 1)[0])).toEqual(requirements().map(({ id }) => id));
    expect(out).toMatch(/^R-VERIFY-RAW +MUST +A receiver verifies the signature over the bytes/m);
  });

  it.each(["provider", "receiver"] as const)("prints those of a %s alone", async (role) => {
    const { out } = await ran(["requirements", "--role", role, "--json"]);
    expect(JSON.parse(out)).toEqual({ requirements: requirements(role) });
  });

  it("tells the reasons of those that are named", async () => {
    const { out } = await ran(["requirements", "R-VERIFY-UNSIGNED"]);
    expect(out).toMatch(
      /^R-VERIFY-UNSIGNED {2}MUST .*\n {2}why .*public address\.\n {2}fix {6}Refuse .*\n {2}source {3}S 5\.3\n {2}profile {2}\/signature\n {2}checks {3}\S/,
    );
  });

  it.each(["MUST", "SHOULD"])("leaves those of another level than %s out", async (level) => {
    const { out } = await ran(["requirements", "--level", level, "--json"]);
    const ids = requirements().filter((one) => one.level === level);
    expect(ids.length).toBeGreaterThan(0);
    expect(JSON.parse(out)).toEqual({ requirements: ids });
  });

  it.each([
    [["--role", "merchant"]],
    [["--level", "MAY"]],
    [["R-NONE\u001b[2J"]],
    [["P-AUTH-BEARER", "--role", "receiver"]],
  ])("ends with 2 for %j", async (args) => {
    const { status, out, err } = await ran(["requirements", ...args]);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(/^countersign: CS_CLI_ARGUMENT_UNUSABLE: /);
    expect(err).not.toContain("\u001b");
  });
});
