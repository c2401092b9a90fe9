import { requirements } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { ran } from "./ran.ts";

const listed = async (...args: readonly string[]): Promise<unknown> =>
  JSON.parse((await ran(["requirements", ...args, "--json"])).out);

describe("countersign requirements", () => {
  it("prints one line per requirement of both roles", async () => {
    const { status, out, err } = await ran(["requirements"]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    const ids = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ", 1)[0]);
    expect(ids).toEqual(requirements().map(({ id }) => id));
    expect(out).toMatch(/^R-VERIFY-RAW +loses-or-repeats-events +\S/m);
  });

  it("filters by role and by level", async () => {
    for (const role of ["provider", "receiver"] as const)
      expect(await listed("--role", role)).toEqual({ requirements: requirements(role) });
    for (const level of ["exploitable", "hygiene"]) {
      const ids = requirements().filter((one) => one.level === level);
      expect(ids.length).toBeGreaterThan(0);
      expect(await listed("--level", level)).toEqual({ requirements: ids });
    }
  });

  it("explains a requirement that is named: reason, fix, source, profile, page and checks", async () => {
    const { out } = await ran(["requirements", "R-VERIFY-UNSIGNED"]);
    expect(out).toMatch(
      /^R-VERIFY-UNSIGNED {2}exploitable .*(\n {2}(why|fix|source|profile|page|checks) +\S.*){6}$/m,
    );
  });
});
