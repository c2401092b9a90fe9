import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { start, temporaryFolder } from "./start-command.ts";

it("SIGINT ends a verification at once, with a report that says so and status 2", async () => {
  // It takes every attempt and answers none: without the signal the run would last for minutes.
  const server = createServer(() => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const folder = temporaryFolder();
  const file = join(folder, "report.json");
  const url = `http://127.0.0.1:${port}/hooks`;
  const running = start(["verify", "receiver", "--url", url, "--report", `json=${file}`], {
    folder,
    env: { COUNTERSIGN_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
  });
  await once(server, "request");
  expect(await running.end("SIGINT")).toBe(2);
  expect(running.stderr()).toContain("CS_CLI_UNVERIFIED: the run was interrupted");
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
    exitCode: 2,
    problems: ["the run was interrupted: this report is a part"],
  });
});
