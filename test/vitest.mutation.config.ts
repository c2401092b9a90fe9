import { defineConfig } from "vitest/config";
import { root, sources } from "./vitest.config.ts";

// Flat, because the mutation runner reads no projects.
export default defineConfig({
  ...sources,
  root,
  test: {
    include: ["packages/{signatures,rules}/test/**/*.spec.ts"],
    // Not those that repeat thousands of times what an example shows once, nor those that read the
    // sources, which the runner has changed.
    exclude: [
      "**/node_modules/**",
      "**/*{properties,model,differential,source,readme,documentation}.spec.ts",
    ],
  },
});
