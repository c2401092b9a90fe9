import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listen } from "../../sandbox/test/listen.ts";
import { keptSecret } from "../src/secrets.ts";
import { SECRET, SOON, TOKEN } from "./fixtures.ts";
import { start } from "./start-command.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

it("a secret file that stays empty for a second fails with CS_CLI_DATABASE_UNUSABLE", async () => {
  const file = join(temporaryFolder(), "secret");
  await writeFile(file, "");
  await expect(keptSecret(file, () => "mine")).rejects.toMatchObject({
    code: "CS_CLI_DATABASE_UNUSABLE",
  });
});

it("SIGINT ends a command that does not serve at once", async () => {
  const asked = Promise.withResolvers<void>();
  const url = await listen(() => asked.resolve());
  const command = start(["send", "refund.failed", "--url", url], {
    folder: temporaryFolder(),
    env: { COUNTERSIGN_SECRET: SECRET },
  });
  await asked.promise;
  expect(await command.end("SIGINT")).toBeNull();
  expect(command.process.signalCode).toBe("SIGINT");
});

// The death of a process in the middle of an attempt: test/chaos.
it("a sandbox process serves without a reader of stdout", async () => {
  const folder = temporaryFolder();
  const one = start(["sandbox", "--port", "0"], { folder, env: { COUNTERSIGN_TOKEN: TOKEN } });
  one.process.stdout?.destroy();
  // The calls to try are printed before the line that is not read.
  const address = (): string => /http:\S+(?=\/sandbox)/.exec(one.stderr())?.[0] ?? "";
  await expect.poll(address, SOON).not.toBe("");
  const headers = { authorization: `Bearer ${TOKEN}` };
  const answer = await fetch(new URL("/sandbox/customers", address()), { headers });
  expect(answer.status).toBe(200);
  expect(one.stderr()).not.toContain("EPIPE");
});
