import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { buildInspector } from "../../packages/dev/src/build-inspector.ts";

describe("the inspector's files", () => {
  const { folder } = buildInspector();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });

  it("are a script of at most 250 kB packed", () => {
    const scripts = files.filter((name) => name.endsWith(".js"));
    const packed = scripts.map((name) => gzipSync(readFileSync(join(folder, name))).length);
    expect(scripts.length).toBeGreaterThan(0);
    expect(packed.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(250_000);
  });
});
