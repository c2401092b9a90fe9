// Serves the documentation, or writes it to docs/.vitepress/dist with --build.
import { build, createServer } from "vitepress";

const folder = new URL("../../../docs", import.meta.url).pathname;
if (process.argv.includes("--build")) await build(folder);
else {
  const server = await createServer(folder, { host: "127.0.0.1" });
  await server.listen();
  server.printUrls();
}
