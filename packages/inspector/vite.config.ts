import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/inspector/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The page's policy allows no data: URLs and no script in the page.
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2022",
    reportCompressedSize: false,
  },
});
