import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("the README has code that validates a request and an answer", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const args = [
    "--conditions=@countersign/source",
    "--input-type=module-typescript",
    "--eval",
    code,
  ];
  const cwd = fileURLToPath(new URL("../", import.meta.url));
  const out = execFileSync(process.execPath, args, { cwd, encoding: "utf8" });
  expect(out).toMatch(/pointer: '\/amount'[\s\S]*\nfalse \[ 'standard', 'x-signature' \]\n$/);
});
