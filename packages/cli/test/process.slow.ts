import { expect, it } from "vitest";
import { TOKEN } from "./fixtures.ts";
import { start } from "./start-command.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

// The death of a process in the middle of an attempt: test/chaos.
it("a sandbox process serves without a reader of stdout", async () => {
  const folder = temporaryFolder();
  const one = start(["sandbox", "--port", "0"], {
    folder,
    env: { COUNTERSIGN_TOKEN: TOKEN },
  });
  one.process.stdout?.destroy();
  // Printed before the line that is not read.
  const address = (): string => /http:\S+(?=\/inspector)/.exec(one.stderr())?.[0] ?? "";
  await expect.poll(address).not.toBe("");
  const headers = { authorization: `Bearer ${TOKEN}` };
  const answer = await fetch(new URL("/sandbox/customers", address()), { headers });
  expect(answer.status).toBe(200);
  expect(one.stderr()).not.toContain("EPIPE");
});
