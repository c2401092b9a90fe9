import { expect, it } from "vitest";
import { postgresBinaries } from "../../packages/receiver/test/inboxes/servers.ts";
import { root } from "../../scripts/packages.ts";
import { EXPECTED, runExample } from "./three-providers.ts";

it.skipIf(postgresBinaries === undefined)(
  "the example of three providers handles each event once, refuses forged ones, and stops at SIGTERM (needs PostgreSQL)",
  { tags: "ci", timeout: 60_000 },
  async () => {
    const program = ["--conditions=@countersign/source", "src/server.ts"];
    const folder = `${root}examples/three-providers`;
    expect(await runExample(program, folder)).toEqual(EXPECTED);
  },
);
