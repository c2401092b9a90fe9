import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { writeFiles } from "../src/write-files.ts";
import { start, temporaryFolder } from "./start-command.ts";

describe("files that a command writes", () => {
  it("replace what was there, and make the folders that are missing", async () => {
    const folder = temporaryFolder();
    const [one, two] = [join(folder, "one"), join(folder, "deep", "er", "two")];
    writeFileSync(one, "before, and longer");
    await writeFiles(
      new Map([
        [one, "first"],
        [two, "second"],
      ]),
    );
    expect([readFileSync(one, "utf8"), readFileSync(two, "utf8")]).toEqual(["first", "second"]);
    expect(readdirSync(folder).toSorted()).toEqual(["deep", "one"]);
  });

  it("leave what was there where one of them cannot be written, and nothing beside it", async () => {
    const folder = temporaryFolder();
    const kept = join(folder, "kept");
    writeFileSync(kept, "before");
    const files = new Map([
      [kept, "after"],
      [join(kept, "within-a-file"), ""],
    ]);
    await expect(writeFiles(files)).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(readFileSync(kept, "utf8")).toBe("before");
    mkdirSync(join(folder, "taken"));
    await expect(writeFiles(new Map([[join(folder, "taken"), ""]]))).rejects.toThrow(/EISDIR/);
    expect(readdirSync(folder).toSorted()).toEqual(["kept", "taken"]);
  });
});

describe("a command that does not serve", () => {
  it("ends at the first SIGINT", async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    // It never answers.
    const server = createServer(() => resolve()).listen(0, "127.0.0.1");
    onTestFinished(() => server.close().closeAllConnections());
    await new Promise((listening) => server.once("listening", listening));
    const { port } = server.address() as AddressInfo;
    const env = { COUNTERSIGN_SECRET: "whsec_Y291bnRlcnNpZ24gaXMgYSByZWNlaXZlciBhbmQga2l0" };
    const args = ["send", "refund.failed", "--url", `http://127.0.0.1:${String(port)}/`];
    const command = start(args, { folder: temporaryFolder(), env });
    await asked;
    expect(await command.end("SIGINT")).toBeNull();
    expect(command.process.signalCode).toBe("SIGINT");
  });
});
