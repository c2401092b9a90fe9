/** Fields of a log line: facts about a call, never its headers, its body or a secret. */
export interface LogFields {
  readonly requestId?: string;
  readonly method?: string;
  /** The route's pattern, never the path: paths hold ids. */
  readonly route?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly merchantId?: string;
  readonly errorCode?: string;
  readonly errorName?: string;
  /** Of an error of this program. */
  readonly stack?: string;
  /** What is wrong with an answer of this program. */
  readonly defect?: string;
  readonly count?: number;
  readonly clockId?: string;
  readonly refundId?: string;
  readonly subscriptionKey?: string;
}

/** The part of a pino logger that this service uses. */
export interface Logger {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export const silentLogger: Logger = { info: () => {}, warn: () => {}, error: () => {} };
