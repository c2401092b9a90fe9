import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  postgresBinaries,
  startPostgres,
  type TestPostgres,
} from "../../../receiver/test/inboxes/servers.ts";
import { postgresHints, type Hints } from "../../src/delivery/postgres-hints.ts";
import { systemRandom } from "../../src/random.ts";
import { postgresDriver } from "../../src/store/postgres/driver.ts";
import { queueOf, SOON } from "./queue.ts";

const reason = postgresBinaries === undefined ? " (skipped: PostgreSQL is not installed)" : "";

describe.skipIf(postgresBinaries === undefined)(`processes on one PostgreSQL${reason}`, () => {
  let server: TestPostgres;
  let url: string;
  beforeAll(async () => {
    // Nothing but a recorded attempt flushes a claim before the crash.
    server = await startPostgres({ settings: ["wal_writer_delay=10000"] });
    url = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
  }, 60_000);
  afterAll(() => server.stop());

  function openHints(at = url): { readonly hints: Hints; readonly heard: () => number } {
    let heard = 0;
    const onHint = (): number => (heard += 1);
    const hints = postgresHints({ url: at, random: systemRandom, onHint });
    onTestFinished(() => hints.stop());
    hints.start();
    return { hints, heard: () => heard };
  }

  it("hint at new work to the others and not to themselves, also after the server has come back", async () => {
    const [a, b] = [openHints(), openHints()];
    const hintB = (): number => {
      a.hints.tell();
      return b.heard();
    };
    await expect.poll(hintB, SOON).toBeGreaterThan(0);
    expect(a.heard()).toBe(0);
    await server.crash();
    const before = b.heard();
    await expect.poll(hintB, SOON).toBeGreaterThan(before);
  });

  it("go on without hints when the server is not there", async () => {
    const { hints } = openHints("postgres://postgres@127.0.0.1:1/postgres");
    hints.tell();
    await expect(hints.stop()).resolves.toBeUndefined();
  });

  it("may lose a claim, but never a recorded attempt, in a crash of the server", async () => {
    const driver = postgresDriver({ url });
    onTestFinished(() => driver.close());
    const queue = await queueOf(driver);
    await queue.subscribeMany(1);
    const first = await queue.claimOne();
    await server.crash();
    const second = await queue.claimOne();
    expect([first.attempt, second.attempt]).toEqual([1, 1]);
    expect((await queue.settle([[second, 500]])).settled).toHaveLength(1);
    await server.crash();
    expect(await queue.claim()).toEqual([]);
    expect(await queue.attempts()).toMatchObject([{ number: 1, status: 500 }]);
  }, 60_000);
});
