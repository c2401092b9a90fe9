import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/inspector/",
  plugins: [react()],
  resolve: { conditions: ["@countersign/source", "module", "browser", "production"] },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The page's policy allows no data: URLs and no script in the page.
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2022",
    reportCompressedSize: false,
    // The schemas' checks are half of it; test/browser holds what it weighs packed.
    chunkSizeWarningLimit: 700,
  },
});
