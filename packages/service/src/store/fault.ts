/** The reason why the database cannot be used, for a metric's label and the log: each has another first step. */
export type StoreFault = "full" | "busy" | "corrupt" | "file" | "unreachable" | "other";

/** Extended result code: the shared memory of the WAL cannot grow, as on a full disk. */
const IOERR_SHMSIZE = 4874;

// By the lowest byte of SQLite's result code.
const sqliteFaults = new Map<number, StoreFault>([
  [5, "busy"],
  [6, "busy"],
  [11, "corrupt"],
  [13, "full"],
  [14, "file"],
  [15, "busy"],
  [26, "corrupt"],
]);

// By the beginning of PostgreSQL's SQLSTATE or of Node's code; the first that fits.
const codes: readonly (readonly [RegExp, StoreFault])[] = [
  [/^(?:53100|ENOSPC|EDQUOT)/, "full"],
  [/^(?:57014|55P03|40)/, "busy"],
  [/^(?:XX00[12])/, "corrupt"],
  [
    /^(?:53[34]00|08|57P|25P03|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_|ENOTFOUND|ENOENT)/,
    "unreachable",
  ],
];

/** Returns the fault that an error of a driver's library means. */
export function faultOf(cause: unknown): StoreFault {
  if (!(cause instanceof Error)) return "other";
  if ("errcode" in cause && typeof cause.errcode === "number") {
    if (cause.errcode === IOERR_SHMSIZE) return "full";
    return sqliteFaults.get(cause.errcode & 0xff) ?? "other";
  }
  if ("code" in cause && typeof cause.code === "string") {
    const { code } = cause;
    return codes.find(([form]) => form.test(code))?.[1] ?? "other";
  }
  // `pg` marks these only by their messages.
  return /timeout exceeded when trying to connect|Connection terminated|does not answer/.test(
    cause.message,
  )
    ? "unreachable"
    : "other";
}
