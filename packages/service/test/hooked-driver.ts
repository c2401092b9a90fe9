import {
  StoreUnavailableError,
  withHooks,
  type Driver,
  type Sql,
  type SqlValue,
} from "../src/store/driver.ts";

/** Hooks around a driver's steps, which a test sets and clears. A step whose hook throws fails. */
export interface DriverHooks {
  /** Before a query outside transactions. */
  query?: ((sql: Sql, params: readonly SqlValue[]) => unknown) | undefined;
  begin?: (() => unknown) | undefined;
  /** Before a statement of a transaction. */
  statement?: ((sql: Sql, params: readonly SqlValue[]) => unknown) | undefined;
  /** Replaces the rows of a statement of a transaction. */
  rows?: ((sql: Sql, rows: unknown[]) => unknown[]) | undefined;
  commit?: (() => void) | undefined;
}

export function hookedDriver(driver: Driver, hooks: DriverHooks): Driver {
  return {
    query: async <Row>(sql: Sql, params: readonly SqlValue[] = []) => {
      await hooks.query?.(sql, params);
      return driver.query<Row>(sql, params);
    },
    transaction: async (run, options) => {
      await hooks.begin?.();
      return withHooks(run, (hooked) =>
        driver.transaction(async (tx) => {
          const value = await hooked({
            query: async <Row>(sql: Sql, params: readonly SqlValue[] = []) => {
              await hooks.statement?.(sql, params);
              const rows = await tx.query<Row>(sql, params);
              // The test makes rows of the same columns.
              return (hooks.rows?.(sql, rows) ?? rows) as Row[];
            },
          });
          hooks.commit?.();
          return value;
        }, options),
      );
    },
    isAlone: driver.isAlone,
    hasRoom: () => driver.hasRoom?.() ?? true,
    close: () => driver.close(),
  };
}

/** A `commit` hook: the store takes nothing. */
export const failCommit = (): never => {
  throw new StoreUnavailableError("COMMIT failed");
};

/** A `statement` hook that fails the statement of this number, counted from 1. */
export function failStatement(number: number): () => void {
  let left = number;
  return () => {
    left -= 1;
    if (left === 0) throw new Error("the disk is broken");
  };
}
