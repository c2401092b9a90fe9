import type { Operation } from "../../src/store/driver.ts";

/** Writes a note, and keeps the transaction open for so many milliseconds. */
export const insert: Operation<{ id: number; holdMs?: number }, number> = {
  name: "insert",
  async run(tx, { id, holdMs = 0 }) {
    await tx.query("INSERT INTO notes (id, text) VALUES ($1, 'aside')", [id]);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, holdMs);
    return id;
  },
};

export const fail: Operation<{ id: number }, never> = {
  name: "fail",
  async run(tx, { id }) {
    await tx.query("INSERT INTO notes (id, text) VALUES ($1, 'half')", [id]);
    throw new RangeError("the operation's own", { cause: new Error("a reason") });
  },
};

/** Ends the thread in the middle of a transaction. */
export const end: Operation<{ id: number }, never> = {
  name: "end",
  async run(tx, { id }) {
    await tx.query("INSERT INTO notes (id, text) VALUES ($1, 'half')", [id]);
    return process.exit();
  },
};

/** That nobody has. */
export const unknown: Operation<object, never> = {
  name: "unknown",
  run: () => Promise.reject(new Error("it runs in the thread alone")),
};
