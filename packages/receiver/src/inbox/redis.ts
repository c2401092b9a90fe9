import type { Inbox, InboxQueue } from "./inbox.ts";
import { rowsInbox } from "./rows-inbox.ts";
import { type RedisCommand, RedisRows } from "./redis-rows.ts";

/** What the inbox needs of a client of `ioredis`. */
export interface IoRedisClient {
  call(command: string, ...values: string[]): Promise<unknown>;
}

/** What the inbox needs of a client of `redis` (node-redis), connected. */
export interface NodeRedisClient {
  sendCommand(values: string[]): Promise<unknown>;
}

export interface RedisInboxOptions {
  /** What every key of the inbox begins with. Default `"countersign"`. */
  readonly prefix?: string;
  /**
   * The merchant's word that this Redis keeps what it has answered: `appendonly yes` with
   * `appendfsync always`, no failover to a replica, and no eviction (`maxmemory-policy noeviction`).
   * Without it `acknowledge: 'after-store'` is refused. Default false.
   */
  readonly durable?: boolean;
}

/**
 * An inbox in Redis, 6 or later: each call is one script, which Redis runs whole, so any number of
 * processes share it. The inbox's keys are in one slot of a cluster.
 *
 * What Redis promises is less than a database does. With `appendfsync everysec`, its default for an
 * append-only file, a crash forgets about the last second; without such a file, everything since the
 * last snapshot; a failover, what the replica had not received; an eviction, any event. What is
 * forgotten so was answered already: in `after-handler` a duplicate then runs its handler again, in
 * `after-store` an acknowledged event is lost. No handler can write in its transaction.
 *
 * @throws {TypeError} the client has neither `call` nor `sendCommand`, or `prefix` is empty or holds braces.
 */
export function redisInbox(
  client: IoRedisClient | NodeRedisClient,
  { prefix = "countersign", durable = false }: RedisInboxOptions = {},
): Inbox & { readonly queue: InboxQueue } {
  if (prefix === "" || /[{}]/.test(prefix))
    throw new TypeError('redisInbox: "prefix" must be a text without braces');
  // The braces keep the inbox's keys together in a cluster.
  return rowsInbox(new RedisRows(commandOf(client), `{${prefix}}`), { durable });
}

function commandOf(client: IoRedisClient | NodeRedisClient): RedisCommand {
  // ioredis has a `sendCommand` of another shape too, so `call` is looked for first.
  if ("call" in client && typeof client.call === "function")
    return (name, values) => client.call(name, ...values);
  if ("sendCommand" in client && typeof client.sendCommand === "function")
    return (name, values) => client.sendCommand([name, ...values]);
  throw new TypeError("redisInbox: a client of ioredis or redis is needed");
}
