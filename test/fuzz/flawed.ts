import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Mount } from "../../packages/receiver/test/adapters/mount.ts";

/** Receivers that a campaign must find out, without any of ours in them. */
export const flawed: readonly Pick<Mount, "name" | "seesDuplicates" | "serve">[] = [
  {
    name: "one that believes everything",
    seesDuplicates: true,
    serve: () =>
      createServer((_request, response) => {
        response.writeHead(204).end();
      }),
  },
  {
    name: "one that refuses everything",
    seesDuplicates: true,
    serve: () =>
      createServer((_request, response) => {
        response.writeHead(401).end();
      }),
  },
  {
    name: "one that awaits nothing",
    seesDuplicates: true,
    serve: () =>
      createServer((request, response) => {
        void buffer(request).then((body) => {
          JSON.parse(body.toString());
          response.writeHead(401).end();
        });
      }),
  },
];
