import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { root } from "../../scripts/packages.ts";
import { fixes } from "../../docs/.vitepress/code-fixes.ts";

const page = readFileSync(`${root}docs/reference/codes.md`, "utf8");
const headings: readonly string[] = page.match(/(?<=^### ).*$/gm) ?? [];

it("the page of codes has each code that begins with CS_ in a package, and no others", () => {
  const files = globSync("packages/*/src/**/*.ts", { cwd: root });
  const used = new Set(
    files.flatMap(
      (file) =>
        readFileSync(root + file, "utf8").match(
          /(?<=["'`])CS_[A-Z_]*[A-Z](?=["'`:])|^ {2}CS_\w+(?=:)/gm,
        ) ?? [],
    ),
  );
  const codes = [...used].map((code) => code.trim());
  expect(codes.length).toBeGreaterThan(80);
  // Some sources name only the beginning of codes.
  const isListed = (code: string): boolean => headings.some((one) => one.startsWith(code));
  expect(codes.filter((code) => !isListed(code))).toEqual([]);
  const text = codes.join("\n");
  const ours = headings.filter((one) => one.startsWith("CS_"));
  expect(
    ours.filter((one) => !codes.some((code) => one.startsWith(code)) && !text.includes(one)),
  ).toEqual([]);
});

it("the page of codes says what to do about each code of a receiver that has no fix in its sentence", () => {
  expect(Object.keys(fixes).filter((code) => !headings.includes(code))).toEqual([]);
  const [, receiver = ""] = /^## Receiver\n([^]*?)^## Causes/m.exec(page) ?? [];
  const without = receiver
    .split("### ")
    .slice(1)
    .filter((entry) => !entry.includes("\n\nFix: "))
    .map((entry) => /^\w+/.exec(entry)?.[0]);
  // Their sentences say it, or nobody can do anything about them.
  expect(without).toEqual([
    "CS_EVENT_IN_PROGRESS",
    "CS_WORKER_NOT_STARTED",
    "CS_INBOX_VERSION",
    "CS_SIGNATURE_HEADER_INVALID",
    "CS_SIGNATURE_HEADER_TOO_LONG",
    "CS_SIGNATURE_ID_INVALID",
    "CS_SIGNATURE_TOO_MANY",
    "CS_SIGNATURE_PLACE_INVALID",
  ]);
});
