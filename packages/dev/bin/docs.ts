// Serves the documentation, or writes it to docs/.vitepress/dist with --build.
import { fileURLToPath } from "node:url";
import { build, createServer } from "vitepress";

const folder = fileURLToPath(new URL("../../../docs", import.meta.url));
if (process.argv.includes("--build")) await build(folder);
else {
  const server = await createServer(folder, { host: "127.0.0.1" });
  await server.listen();
  server.printUrls();
}
