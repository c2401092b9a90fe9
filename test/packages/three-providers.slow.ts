import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { postgresBinaries } from "../../packages/receiver/test/inboxes/servers.ts";
import { root } from "../../scripts/packages.ts";
import { EXPECTED, runExample } from "../e2e/three-providers.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import example from "../../examples/three-providers/package.json" with { type: "json" };
import { packAll, project, run } from "./packed.ts";

it.skipIf(postgresBinaries === undefined)(
  "the example of three providers runs with the packed receiver in a new project (needs PostgreSQL)",
  async () => {
    const folder = temporaryFolder();
    run("pnpm", ["run", "build"], root);
    const { "@countersign/receiver": receiver = "" } = packAll(join(folder, "tarballs"));
    const { express, pg } = example.dependencies;
    const app = project(join(folder, "app"), {
      tarballs: { "@countersign/receiver": receiver },
      others: { express, pg },
    });
    copyFileSync(join(root, "examples/three-providers/src/server.ts"), join(app, "server.ts"));
    expect(await runExample(["server.ts"], app)).toEqual(EXPECTED);
  },
  600_000,
);
