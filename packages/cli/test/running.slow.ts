import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { testPort } from "../../receiver/test/inboxes/servers.ts";
import { missing } from "./fixtures.ts";
import { writeCommand } from "./start-command.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

it("the page on running the service imports a merchant, a client and a payment, and refunds it with curl, as written", async ({
  skip,
}) => {
  skip(...missing("curl"));
  const page = readFileSync(new URL("../../../docs/guides/running.md", import.meta.url), "utf8");
  const folder = temporaryFolder();
  writeCommand(folder);
  const port = String(await testPort());
  const [, written = ""] = /```sh\n([^`]*)```/.exec(page) ?? [];
  const script = join(folder, "first-start.sh");
  // The server ends with the shell.
  const end = `trap 'test -z "\${!-}" || kill "$!"' EXIT\n`;
  writeFileSync(script, end + written.replaceAll("4010", port));
  const { PATH, HOME } = process.env;
  const env = { PATH: `${folder}:${PATH}`, HOME };
  const { stdout } = await promisify(execFile)("sh", ["-eu", script], { cwd: folder, env });
  expect(stdout).toMatch(/^ready \S+\n\{.*\}$/);
  expect(JSON.parse(stdout.split("\n").at(-1) ?? "")).toMatchObject({
    paymentStatus: "PENDING",
    clientReferenceId: null,
  });
});
