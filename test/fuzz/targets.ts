import { createServer, type RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Mount, mounts } from "../../packages/receiver/test/adapters/mounts.ts";

/**
 * Every mount except the stand-in for Next.js: it makes a Web `Request` of each method, and the platform
 * throws for some. Hono covers `toFetch`.
 */
export const targets = mounts.filter(({ name }) => !name.includes("Next.js"));

type Target = Pick<Mount, "name" | "seesDuplicates" | "serve">;
const flaw = (name: string, listener: RequestListener): Target => ({
  name,
  seesDuplicates: true,
  serve: () => createServer(listener),
});

/** Receivers that a campaign must report, without any of our code. */
export const flawed: readonly Target[] = [
  flaw("one that believes everything", (_request, response) => response.writeHead(204).end()),
  flaw("one that refuses everything", (_request, response) => response.writeHead(401).end()),
  flaw("one that awaits nothing", (request, response) => {
    void buffer(request).then((body) => {
      JSON.parse(body.toString());
      response.writeHead(401).end();
    });
  }),
];
