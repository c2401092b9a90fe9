import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { opener, startOpened, startSandbox } from "./start-opened.ts";
import { temporaryFolder } from "../temporary-folder.ts";

describe.skipIf(opener === "")("countersign sandbox --open", () => {
  it("C7 opens a page that only its user can read, with no key among the opener's arguments", async () => {
    const { opened, stderr, end } = await startOpened();
    expect(opened).toEqual([expect.stringMatching(/^file:\/\/\/[^#?]+\/open\.html$/)]);
    const file = fileURLToPath(opened[0] ?? "");
    const modes = [file, dirname(file)].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o600, 0o700]);
    const [, address = ""] = /content="0; url=([^"]+)"/.exec(readFileSync(file, "utf8")) ?? [];
    expect(stderr()).toContain(` ${address}\n`);
    expect(address).toMatch(/\/inspector\/#key=.{22}$/);
    expect(await end()).toBe(0);
    expect(existsSync(dirname(file))).toBe(false);
  });

  it("prints that the system has no opener, and continues", async () => {
    const { stderr, end } = await startSandbox([temporaryFolder()]);
    await expect.poll(stderr).toContain(`--open: no ${opener} here; open the address by hand`);
    expect(await end()).toBe(0);
  });
});
