import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSandbox, TOKEN } from "../../service/test/sandbox/open-sandbox.ts";
import { ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const verify = (url: string, more: readonly string[], env: Readonly<Record<string, string>>) =>
  ran(["verify", "pacts", "--provider-url", url, ...more], env);

describe("countersign verify pacts", () => {
  it("verifies a service, writes reports and names what it skipped [P-REFUND-SUM]", async () => {
    const folder = temporaryFolder();
    const files = ["junit", "json", "github"].map((one) => `${one}=${join(folder, one)}`);
    const only = ["--only", "P-REFUND-SUM", "P-UNSUBSCRIBE-ID", "--skip", "P-UNSUBSCRIBE-ID=later"];
    const { sandbox } = await openSandbox();
    const more = ["--report", files.join(","), ...only];
    const { status, out } = await verify(sandbox.url, more, { COUNTERSIGN_TOKEN: TOKEN });
    expect(out).toMatch(/^pass {3}P-REFUND-SUM +\S/m);
    expect(out).toMatch(/^skip: later\n {2}P-UNSUBSCRIBE-ID$/m);
    expect(status).toBe(0);
    expect(readFileSync(join(folder, "junit"), "utf8")).toContain("[P-REFUND-SUM]");
    expect(readFileSync(join(folder, "json"), "utf8")).toContain('"exitCode": 0');
    expect(readFileSync(join(folder, "github"), "utf8")).toContain("1 skipped");
  });
});
