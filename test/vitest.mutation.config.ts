import { defineConfig } from "vitest/config";
import { root, sources } from "./vitest.config.ts";

// Flat, because the mutation runner reads no projects.
export default defineConfig({
  ...sources,
  root,
  test: {
    include: ["packages/{signatures,rules}/test/**/*.spec.ts"],
    // Not those that read the sources, which the runner has changed, nor the slow comparison with other libraries.
    exclude: ["**/node_modules/**", "**/*{differential,readme,documentation}.spec.ts"],
  },
});
