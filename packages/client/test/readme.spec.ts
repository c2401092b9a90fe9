import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { sandboxWith } from "./fixtures.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");

it("the README of the client has code that gets a token and makes a refund as printed [P-AUTH-TOKEN]", async () => {
  const [, code = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  const folder = fileURLToPath(new URL("output/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}readme.ts`, code);
  const { one } = await sandboxWith();
  for (const [name, value] of [
    ["PROVIDER_URL", one.sandbox.url],
    ["CLIENT_ID", one.seeded.clientId],
    ["CLIENT_SECRET", one.seeded.clientSecret],
    ["PAYMENT_ID", one.seeded.payments.recent],
  ] as const)
    vi.stubEnv(name, value);
  const log = vi.spyOn(console, "log").mockReturnValue();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    log.mockRestore();
  });
  await import(pathToFileURL(`${folder}readme.ts`).href);
  expect(log.mock.lastCall?.join(" ")).toMatch(/^PENDING ref_\S+$/);
});
