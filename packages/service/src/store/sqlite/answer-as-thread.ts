import { parentPort, workerData } from "node:worker_threads";
import type { Operation } from "../driver.ts";
import { sqliteDriver } from "./driver.ts";
import { copyOfError, type ThreadAnswer, type ThreadCall, type ThreadStart } from "./thread.ts";

/**
 * What a `SqliteThread` runs: carries out what it is asked for, each operation in a transaction of its own.
 * Those that are asked for together share a flush to disk.
 *
 * @throws {Error} This is no thread.
 */
export function answerAsThread(operations: readonly Operation<never, unknown>[]): void {
  const port = parentPort;
  if (port === null) throw new Error("this module is the whole of a thread");
  // Given by `SqliteThread`, like the messages below.
  const { file, busyMs } = workerData as ThreadStart;
  const driver = sqliteDriver(file, { busyMs });
  const byName = new Map(operations.map((operation) => [operation.name, operation]));

  const answerTo = async ({ id, name, input }: ThreadCall): Promise<ThreadAnswer> => {
    const operation = byName.get(name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    // The name says which type the input has.
    const value = await driver.transaction((tx) => operation.run(tx, input as never));
    return { id, ok: true, value };
  };
  port.on("message", (call: ThreadCall) => {
    void answerTo(call)
      .catch((error: unknown): ThreadAnswer => ({
        id: call.id,
        ok: false,
        error: copyOfError(error),
      }))
      .then((answer) => port.postMessage(answer));
  });
}
