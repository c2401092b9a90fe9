import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keptSecret } from "../src/secrets.ts";
import { SOON, TOKEN } from "./fixtures.ts";
import { start } from "./start-command.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

it("a secret file that stays empty for a second fails with CS_CLI_DATABASE_UNUSABLE", async () => {
  const file = join(temporaryFolder(), "secret");
  await writeFile(file, "");
  await expect(keptSecret(file, () => "mine")).rejects.toMatchObject({
    code: "CS_CLI_DATABASE_UNUSABLE",
  });
});

// The death of a process in the middle of an attempt: test/chaos.
it("a sandbox process serves without a reader of stdout", async () => {
  const folder = temporaryFolder();
  const one = start(["sandbox", "--port", "0", "--examples"], {
    folder,
    env: { COUNTERSIGN_TOKEN: TOKEN },
  });
  one.process.stdout?.destroy();
  // The calls to try are printed before the line that is not read.
  const address = (): string => /http:\S+(?=\/sandbox)/.exec(one.stderr())?.[0] ?? "";
  await expect.poll(address, SOON).not.toBe("");
  const headers = { authorization: `Bearer ${TOKEN}` };
  const answer = await fetch(new URL("/sandbox/customers", address()), { headers });
  expect(answer.status).toBe(200);
  expect(one.stderr()).not.toContain("EPIPE");
});
