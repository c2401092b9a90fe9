import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { Parser } from "@asyncapi/parser";
import { expect, it } from "vitest";
import { asyncApiOf } from "../../packages/service/src/documents/asyncapi.ts";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { schemas } from "../../packages/service/src/documents/generated/schemas.ts";
import { openApiOf } from "../../packages/service/src/documents/openapi.ts";
import { documentedProfiles as all } from "../../packages/service/test/documents/documented-profiles.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const sides = ["writer", "reader"] as const;

it("/openapi.json satisfies Redocly's recommended rules under every profile", async () => {
  const folder = temporaryFolder();
  const files = all.flatMap(([name, profile]) =>
    sides.map((side) => {
      const file = join(folder, `${name}-${side}.json`);
      writeFileSync(file, JSON.stringify(openApiOf(profile, schemas, side)));
      return file;
    }),
  );
  const cli = createRequire(import.meta.url).resolve("@redocly/cli/package.json");
  const bin = join(cli, "..", "bin", "cli.js");
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  };
  const args = [bin, "lint", ...files, "--extends=recommended", "--format=json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  // One object a file, without anything between them.
  const reports = JSON.parse(`[${stdout.replaceAll("\n}{\n", "\n},{\n")}]`) as object[];
  const totals = { errors: 0, warnings: 0 };
  expect(reports).toMatchObject(files.map(() => ({ problems: [], totals })));
});

const both = all.flatMap(([name, profile]) => sides.map((side) => [name, side, profile] as const));
it.each(both)(
  "/asyncapi.json is valid AsyncAPI 3.0 under %s for a %s",
  async (_, side, profile) => {
    const { document, diagnostics } = await new Parser().parse(
      JSON.stringify(asyncApiOf(profile, schemas, side)),
    );
    const faults = diagnostics.filter(({ severity }) => `${severity}` <= "1");
    expect(faults.map(({ message, path }) => [message, path.join("/")])).toEqual([]);
    expect(document?.version()).toBe("3.0.0");
    const types = new Set(sendingProviderOf(profile).catalogue.map(({ type }) => type));
    const messages = document?.messages().all() ?? [];
    expect(new Set(messages.map((message) => message.name()))).toEqual(types);
  },
);
