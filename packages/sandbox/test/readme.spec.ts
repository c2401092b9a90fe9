import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";

it("the README has code that starts a sandbox, makes a refund and moves the clock", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = fileURLToPath(new URL("output/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}readme.ts`, code);
  const log = vi.spyOn(console, "log").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  await import(pathToFileURL(`${folder}readme.ts`).href);
  expect(log.mock.lastCall?.[0]).toMatchObject({ paymentStatus: "PENDING" });
});
