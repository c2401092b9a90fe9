import type { SqlValue } from "./driver.ts";

export interface PostgresStatement {
  /** Several ones, separated by semicolons, where there are no values. */
  readonly text: string;
  readonly values?: readonly SqlValue[];
  /** Under this name the server keeps it prepared for the connection. */
  readonly name?: string;
  /** Whether its answer may take as long as it likes. Default false. */
  readonly isPatient?: boolean;
}

export interface PostgresResult {
  readonly rows: unknown[];
  /** The first word of what the server says it did. */
  readonly command: string;
}

/** One connection. Its errors are those of `pg`: with `code` and `severity` where the server spoke. */
export interface PostgresClient {
  /** @returns The last statement's result. */
  query(statement: PostgresStatement): Promise<PostgresResult>;
  /** Gives the connection back; `isLost` ends it instead. */
  release(isLost: boolean): void;
}

/** Connections to one database, on which a transaction is read-only unless it says otherwise. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
}
