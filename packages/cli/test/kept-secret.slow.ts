import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keptSecret } from "../src/kept-secret.ts";
import { temporaryFolder } from "./start-command.ts";

it("a secret file that stays empty for a second fails with CS_CLI_DATABASE_UNUSABLE", async () => {
  const file = join(temporaryFolder(), "secret");
  await writeFile(file, "");
  await expect(keptSecret(file, () => "mine")).rejects.toMatchObject({
    code: "CS_CLI_DATABASE_UNUSABLE",
  });
});
