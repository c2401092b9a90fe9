import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { failureCodes } from "../../packages/cli/src/failure.ts";
import { clientErrorCodes } from "../../packages/client/src/errors.ts";
import { sandboxErrorCodes } from "../../packages/sandbox/src/refusals.ts";
import { errorCodes, importCodes, memberCodes } from "../../packages/service/src/error-codes.ts";
import { tokenErrors } from "../../packages/service/src/http/routes/tokens.ts";
import { FIXES } from "../../packages/signatures/src/explain-causes.ts";
import { root } from "../../scripts/packages.ts";

const page = readFileSync(`${root}docs/reference/codes.md`, "utf8");
const headings = page.match(/(?<=^### ).*$/gm) ?? [];

type Meanings = Readonly<
  Record<string, { readonly meaning: string; readonly status?: number | undefined }>
>;

it("the page of codes has each code of a table with its sentence and status", () => {
  const tables: Meanings = { ...errorCodes, ...importCodes, ...memberCodes, ...tokenErrors };
  const sandbox = Object.entries(sandboxErrorCodes).map(
    ([code, [status, meaning]]) => [code, `${meaning} Status ${String(status)}.`] as const,
  );
  const sentences = {
    ...failureCodes,
    ...FIXES,
    ...clientErrorCodes,
    ...Object.fromEntries(sandbox),
    ...Object.fromEntries(
      Object.entries(tables).map(([code, { meaning, status }]) => [
        code,
        status === undefined ? meaning : `${meaning} Status ${String(status)}.`,
      ]),
    ),
  };
  const entries = Object.entries(sentences);
  expect(entries.length).toBeGreaterThan(100);
  const missing = entries.filter(([code, text]) => !page.includes(`### ${code}\n\n${text}\n`));
  expect(missing).toEqual([]);
});

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
