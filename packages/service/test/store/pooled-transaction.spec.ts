import { describe, expect, it } from "vitest";
import type { Queryable } from "../../src/store/driver.ts";
import { PooledDriver } from "../../src/store/pooled-driver.ts";
import type { PostgresPool, PostgresResult } from "../../src/store/postgres-pool.ts";

/** A server that answers when it is told to. */
function fakeServer() {
  const sent: string[] = [];
  const answers: ((result: PostgresResult) => void)[] = [];
  const pool: PostgresPool = {
    connect: async () => ({
      query: ({ text }) => {
        sent.push(text);
        return new Promise((answer) => answers.push(answer));
      },
      release: () => {},
    }),
    end: async () => {},
  };
  const answer = (result: Partial<PostgresResult> = {}): void =>
    answers.shift()?.({ rows: [], command: "", ...result });
  return { driver: new PooledDriver(pool), sent, answer };
}

const insert = (tx: Queryable): Promise<unknown> => tx.query("INSERT INTO notes DEFAULT VALUES");

describe("a transaction", () => {
  it("sends its first statement beside BEGIN, and COMMIT when the statement is answered", async () => {
    const { driver, sent, answer } = fakeServer();
    const transaction = driver.transaction(insert);
    await expect.poll(() => sent.length).toBe(2);
    expect(sent).toEqual([expect.stringMatching(/^BEGIN /), expect.stringMatching(/^INSERT /)]);
    answer();
    answer();
    await expect.poll(() => sent).toHaveLength(3);
    expect(sent[2]).toBe("COMMIT");
    answer({ command: "COMMIT" });
    await transaction;
  });

  it("that is exclusive does nothing before its turn has come", async () => {
    const { driver, sent, answer } = fakeServer();
    let hasBegun = false;
    const transaction = driver.exclusive(async (tx) => {
      hasBegun = true;
      await insert(tx);
    });
    await expect.poll(() => sent).toHaveLength(1);
    expect(hasBegun).toBe(false);
    answer();
    await expect.poll(() => sent).toHaveLength(2);
    answer();
    await expect.poll(() => sent).toHaveLength(3);
    answer({ command: "COMMIT" });
    await transaction;
    expect(hasBegun).toBe(true);
  });
});
