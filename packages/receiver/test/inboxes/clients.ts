import type { Redis } from "ioredis";
import type { Pool } from "pg";

/** Clients of servers on loopback, for what stands outside of the package; each is loaded when it is wanted. */
export const clients: {
  readonly postgres: (port: number, database: string) => Promise<Pool>;
  readonly redis: (port: number) => Promise<Redis>;
} = {
  async postgres(port, database) {
    const pg = await import("pg");
    const pool = new pg.Pool({ host: "127.0.0.1", port, database, user: "postgres", max: 17 });
    // A connection that is lost while it is idle tells it here, and would end the process unheard.
    pool.on("error", () => undefined);
    return pool;
  },
  async redis(port) {
    const ioredis = await import("ioredis");
    return new ioredis.Redis(port, "127.0.0.1");
  },
};
