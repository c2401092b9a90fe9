import { MistakeError } from "../mistake.ts";
import { isError } from "../runtime.ts";
import { createHash } from "node:crypto";
import type { EventState } from "./event-state.ts";
import type { EventKey, Inbox } from "./inbox.ts";
import {
  busyUntil,
  type EventRow,
  type EventRows,
  foundOf,
  type Guard,
  heldByBytes,
  rowsInbox,
  textOfKey,
  type Update,
  type Written,
} from "./rows-inbox.ts";
import { type ErrorEmitter, surviveLoss, TimeLimit } from "./store-faults.ts";

/** The part of an `ioredis` client that the inbox needs. */
export interface IoRedisClient extends ErrorEmitter {
  call(command: string, ...values: string[]): Promise<unknown>;
  readonly status?: string;
  disconnect?(reconnect: boolean): void;
}

/** The part of a connected `redis` (node-redis) client that the inbox needs. */
export interface NodeRedisClient extends ErrorEmitter {
  sendCommand(values: string[]): Promise<unknown>;
  readonly isReady?: boolean;
  destroy?(): void;
  connect?(): Promise<unknown>;
}

export interface RedisInboxOptions {
  /** The service's name: every key of the inbox begins with it. One per service that shares this Redis. */
  readonly prefix: string;
  /** The longest time for each command of the inbox, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
}

/**
 * An inbox in Redis, 6 or later: each call is one script, which Redis runs as a whole, so any number of
 * processes of one service share it. The inbox's keys are in one slot of a cluster.
 *
 * It deduplicates, and keeps no events for workers: Redis may lose what it has answered. A crash loses about the last
 * second with `appendfsync everysec`, and everything since the last snapshot without an append-only file; a failover,
 * what the replica had not received; an eviction, any event. A duplicate of a lost event runs its handler again.
 *
 * @throws {TypeError} the client has neither `call` nor `sendCommand`, or `prefix` is missing, empty or has braces.
 */
export function redisInbox(
  client: IoRedisClient | NodeRedisClient,
  options: RedisInboxOptions,
): Inbox {
  // Plain JavaScript may pass no options.
  const { prefix, timeoutMs } = (options ?? {}) as Partial<RedisInboxOptions>;
  if (typeof prefix !== "string" || prefix === "" || /[{}]/.test(prefix))
    throw new MistakeError(
      'redisInbox: missing or invalid "prefix": expected the service\'s name, without braces, e.g. { prefix: "ledger" }',
    );
  // The braces keep the inbox's keys together in a cluster.
  const send = limited(client, new TimeLimit("redisInbox", timeoutMs));
  surviveLoss(client, "redisInbox");
  const rows = new RedisRows(send, `{${prefix}}`);
  return {
    ...rowsInbox(rows),
    async find(keys) {
      const found = await Promise.all(keys.map((key) => rows.read(key)));
      return found.map((row) => row && foundOf(row));
    },
  };
}

/** Sends one command and returns its answer. */
type RedisCommand = (command: readonly string[]) => Promise<unknown>;

function commandOf(client: IoRedisClient | NodeRedisClient): RedisCommand {
  // ioredis has a `sendCommand` of another shape too, so `call` is looked for first.
  if ("call" in client && typeof client.call === "function")
    return ([name = "", ...values]) => client.call(name, ...values);
  if ("sendCommand" in client && typeof client.sendCommand === "function")
    return (command) => client.sendCommand([...command]);
  throw new MistakeError("redisInbox: expected a client of ioredis or redis");
}

/** Limits each command. If nothing at all was answered meanwhile, the client connects again: its connection hangs. */
function limited(client: IoRedisClient | NodeRedisClient, limit: TimeLimit): RedisCommand {
  const send = commandOf(client);
  let aliveAt = -Infinity;
  return async (command) => {
    const sentAt = performance.now();
    try {
      return await limit.run(async () => {
        const answer = await send(command);
        aliveAt = performance.now();
        return answer;
      });
    } catch (error) {
      if (performance.now() - sentAt >= limit.ms && aliveAt < sentAt) {
        aliveAt = performance.now();
        connectAgain(client);
      }
      throw error;
    }
  };
}

function connectAgain(client: IoRedisClient | NodeRedisClient): void {
  if ("status" in client && client.status === "ready") client.disconnect?.(true);
  if ("isReady" in client && client.isReady) {
    client.destroy?.();
    // The client emits the same error, and the next command rejects.
    client.connect?.().catch(() => undefined);
  }
}

/**
 * Every operation in one script: `KEYS[1]` is the inbox's prefix, `ARGV[1]` the operation. An event is a hash with its
 * row as it was recorded, and its state since, both JSON; two hashes know the claimed and the last handled event of
 * each resource; a sorted set finds ended events, and one for each digest the events that have it.
 */
const SCRIPT = `
local base, op, name = KEYS[1], ARGV[1], ARGV[2]
local ended = base .. ':ended'
local function event(of) return base .. ':event:' .. of end
local function get(of) return redis.call('HMGET', event(of), 'row', 'state') end
local function text(value) return type(value) == 'string' and value end
local function is_handled(state) return state.state == 'handled' or state.state == 'superseded' end
local function is_held(state, now) return state.state == 'claimed' and state.due_at > now end

-- Another event with the same bytes: the first one that is handled, else claimed, else any.
local function with_bytes(bytes, now)
  local held, any
  for _, other in ipairs(redis.call('ZRANGE', base .. ':bytes:' .. bytes, 0, 99)) do
    local found = get(other)
    local state = other ~= name and found[2] and cjson.decode(found[2])
    if state then
      if is_handled(state) then return found, true end
      if is_held(state, now) then held = held or found end
      any = any or found
    end
  end
  return held or any, held
end

if op == 'write' then
  local from, to, new, refused = ARGV[3], cjson.decode(ARGV[4]), ARGV[5], ARGV[6]
  local now, known = to.changed_at, get(name)
  if known[1] then
    local state = cjson.decode(known[2])
    if from ~= state.state .. state.token then return 'changed' end
  elseif from ~= '' then
    return 'changed'
  end
  if refused ~= '' then
    local found, held = with_bytes(refused, now)
    if held then return found end
  end
  local row = cjson.decode(known[1] or new)
  local resource = text(row.resource)
  if resource then
    local holder = redis.call('HGET', base .. ':claimed', resource)
    if to.state == 'claimed' then
      local held = holder and holder ~= name and redis.call('HGET', event(holder), 'state')
      if held and is_held(cjson.decode(held), now) then return cjson.decode(held).due_at end
      redis.call('HSET', base .. ':claimed', resource, name)
    elseif holder == name then
      redis.call('HDEL', base .. ':claimed', resource)
    end
    if to.state == 'handled' then redis.call('HSET', base .. ':last', resource, name) end
  end
  if not known[1] then
    redis.call('HSET', event(name), 'row', new)
    if text(row.bytes) then redis.call('ZADD', base .. ':bytes:' .. row.bytes, now, name) end
  end
  redis.call('HSET', event(name), 'state', ARGV[4])
  redis.call('ZADD', ended, now, name)
  return 'done'
end

if op == 'read' then return get(name) end

if op == 'bytes' then return (with_bytes(ARGV[3], tonumber(ARGV[4]))) or {} end

if op == 'last' then
  local last = redis.call('HGET', base .. ':last', name)
  return last and get(last) or {}
end

if op == 'purge' then
  local old = redis.call('ZRANGEBYSCORE', ended, '-inf', '(' .. ARGV[2], 'LIMIT', 0, ARGV[3])
  for _, of in ipairs(old) do
    local row = cjson.decode(get(of)[1] or '{}')
    for _, hash in ipairs({ base .. ':claimed', base .. ':last' }) do
      if text(row.resource) and redis.call('HGET', hash, row.resource) == of then redis.call('HDEL', hash, row.resource) end
    end
    if text(row.bytes) then redis.call('ZREM', base .. ':bytes:' .. row.bytes, of) end
    redis.call('DEL', event(of))
    redis.call('ZREM', ended, of)
  end
  return #old
end

return redis.error_reply('unknown operation')
`;
const SHA = createHash("sha1").update(SCRIPT).digest("hex");

class RedisRows implements EventRows {
  readonly #send: RedisCommand;
  readonly #prefix: string;

  constructor(send: RedisCommand, prefix: string) {
    this.#send = send;
    this.#prefix = prefix;
  }

  insert(row: EventRow, guard: Guard): Promise<Written> {
    return this.#write({ key: row, to: row, now: row.stored_at, guard }, "", JSON.stringify(row));
  }

  update(update: Update): Promise<Written> {
    return this.#write(update, update.from.state + String(update.from.token), "");
  }

  async read(key: EventKey): Promise<EventRow | undefined> {
    return rowOf(await this.#run("read", textOfKey(key)));
  }

  async withBytes(bytes: string, key: EventKey, now: number): Promise<EventRow | undefined> {
    return rowOf(await this.#run("bytes", textOfKey(key), bytes, String(now)));
  }

  async lastHandled(resource: string): Promise<EventRow | undefined> {
    return rowOf(await this.#run("last", resource));
  }

  async purge({ before, limit }: Parameters<EventRows["purge"]>[0]): Promise<number> {
    return Number(await this.#run("purge", String(before), String(limit)));
  }

  async #write(
    { key, to, now, guard }: Omit<Update, "from">,
    from: string,
    row: string,
  ): Promise<Written> {
    const { state, token, attempts, due_at, reason } = to;
    const next = JSON.stringify({ state, token, attempts, due_at, reason, changed_at: now });
    const values = [textOfKey(key), from, next, row, guard?.refused ?? ""];
    const answer = await this.#run("write", ...values);
    if (answer === "done" || answer === "changed") return answer;
    const held = typeof answer === "number" ? busyUntil(answer) : heldByBytes(rowOf(answer), now);
    if (held === undefined)
      throw new Error("Redis answered the inbox's script with something else");
    return held;
  }

  /** By the script's digest; with its text if this server has not seen it yet. */
  async #run(...operation: readonly string[]): Promise<unknown> {
    const rest = ["1", this.#prefix, ...operation];
    try {
      return await this.#send(["EVALSHA", SHA, ...rest]);
    } catch (error) {
      if (!(isError(error) && error.message.startsWith("NOSCRIPT"))) throw error;
      return this.#send(["EVAL", SCRIPT, ...rest]);
    }
  }
}

/** An event's fields `row` and `state`, as the script returns them. */
function rowOf(answer: unknown): EventRow | undefined {
  if (!Array.isArray(answer)) return undefined;
  const [row, state] = answer as readonly unknown[];
  if (typeof row !== "string" || typeof state !== "string") return undefined;
  return { ...(JSON.parse(row) as EventRow), ...(JSON.parse(state) as EventState) };
}
