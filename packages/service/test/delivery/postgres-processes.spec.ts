import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  postgresBinaries,
  startPostgres,
  type TestPostgres,
} from "../../../receiver/test/inboxes/servers.ts";
import { postgresDriver } from "../../src/store/postgres/driver.ts";
import type { DecidedAttempt } from "../../src/delivery/types.ts";
import { answered, fakeTransport, queueOf } from "./queue.ts";

const reason = postgresBinaries === undefined ? " (skipped: PostgreSQL is not installed)" : "";

describe.skipIf(postgresBinaries === undefined)(`processes on one PostgreSQL${reason}`, () => {
  let server: TestPostgres;
  let url: string;
  beforeAll(async () => {
    // Nothing but a durable transaction is flushed before the crash.
    server = await startPostgres({ settings: ["wal_writer_delay=10000"] });
    url = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
  }, 60_000);
  afterAll(() => server.stop());

  it("never lose a recorded attempt in a crash of the server, and continue after it", async () => {
    const driver = postgresDriver({ url });
    onTestFinished(() => driver.close());
    const queue = await queueOf(driver);
    await queue.subscribe("sub_1", { clockId: "live" });
    await queue.enqueue("sub_1");
    const transport = fakeTransport((_, count) => answered(count === 1 ? 500 : 204));
    const recorded: number[] = [];
    const observer = { attempted: ({ attempt }: DecidedAttempt) => recorded.push(attempt.number) };
    queue.engine(transport, { observer });
    await expect.poll(() => recorded).toEqual([1]);
    await server.crash();
    expect(await queue.attempts()).toMatchObject([{ number: 1, status: 500 }]);
    queue.clock.advance(5000);
    await expect.poll(() => recorded).toEqual([1, 2]);
    await expect.poll(() => queue.states()).toEqual(["delivered"]);
    expect(transport.posts).toHaveLength(2);
  }, 60_000);
});
