import { postgresBinaries, redisBinary } from "../../packages/receiver/test/inboxes/servers.ts";

const noPostgres = postgresBinaries === undefined ? "(skipped: PostgreSQL is not installed)" : "";
const noRedis = redisBinary === undefined ? "(skipped: Redis is not installed)" : "";

/** The inboxes and the ways to acknowledge that a merchant is killed with. */
export const lanes = [
  { kind: "sqlite", acknowledge: "after-handler", skipped: "" },
  { kind: "sqlite", acknowledge: "after-store", skipped: "" },
  { kind: "postgres", acknowledge: "after-handler", skipped: noPostgres },
  { kind: "postgres", acknowledge: "after-store", skipped: noPostgres },
  { kind: "redis", acknowledge: "after-handler", skipped: noRedis },
] as const;
