import { MistakeError } from "../mistake.ts";
import { isError } from "../pipeline/outcome.ts";
import type { ResourceState } from "@countersign/rules";
import { createHash } from "node:crypto";
import type { EventState } from "./event-state.ts";
import type { EventKey, Inbox, ResourceKey } from "./inbox.ts";
import {
  type EventRow,
  type EventRows,
  type Guard,
  rowsInbox,
  textOfKey,
  textOfName,
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
 * It deduplicates, and keeps no events for workers: Redis may lose what it has answered. With
 * `appendfsync everysec`, its default for an append-only file, a crash loses about the last second;
 * without such a file, everything since the last snapshot; a failover, what the replica had not
 * received; an eviction, any event. A duplicate of a lost event runs its handler again.
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
  const send = limited(commandOf(client), client, new TimeLimit("redisInbox", timeoutMs));
  surviveLoss(client, "redisInbox");
  return rowsInbox(new RedisRows(send, `{${prefix}}`));
}

/** Sends one command and returns its answer. */
type RedisCommand = (name: string, values: readonly string[]) => Promise<unknown>;

function commandOf(client: IoRedisClient | NodeRedisClient): RedisCommand {
  // ioredis has a `sendCommand` of another shape too, so `call` is looked for first.
  if ("call" in client && typeof client.call === "function")
    return (name, values) => client.call(name, ...values);
  if ("sendCommand" in client && typeof client.sendCommand === "function")
    return (name, values) => client.sendCommand([name, ...values]);
  throw new MistakeError("redisInbox: expected a client of ioredis or redis");
}

/** Limits each command. If nothing at all was answered meanwhile, the client connects again: its connection hangs. */
function limited(
  send: RedisCommand,
  client: IoRedisClient | NodeRedisClient,
  limit: TimeLimit,
): RedisCommand {
  let aliveAt = -Infinity;
  return async (name, values) => {
    const sentAt = performance.now();
    try {
      return await limit.run(async () => {
        const answer = await send(name, values);
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
    // What it rejects with is emitted as an error too, and the next command rejects.
    client.connect?.().catch(() => undefined);
  }
}

/**
 * Every operation in one script: `KEYS[1]` is the inbox's prefix, `ARGV[1]` the operation, the others
 * JSON. An event is a hash with its record and state; two hashes know the claimed and the last handled
 * event of each resource; a sorted set finds ended events, and one a digest the events that have it.
 */
const SCRIPT = `
local base, op = KEYS[1], ARGV[1]
local ended = base .. ':ended'
local function event(name) return base .. ':event:' .. name end
local function get(name) return redis.call('HMGET', event(name), 'state', 'record') end
local function is_handled(state) return state.at == 'handled' or state.at == 'superseded' end
local function is_held(state, now) return state.at == 'claimed' and state.leaseEndsAt > now end

-- Another event with the same bytes: the first one that is handled, else claimed, else any.
local function with_bytes(bytes, name, now)
  local held, any
  for _, other in ipairs(redis.call('ZRANGE', base .. ':bytes:' .. bytes, 0, 99)) do
    local found = get(other)
    local state = other ~= name and found[1] and cjson.decode(found[1])
    if state then
      if is_handled(state) then return found, state end
      if is_held(state, now) then held = held or found end
      any = any or found
    end
  end
  local found = held or any
  return found, found and cjson.decode(found[1])
end

-- Evicted, if it is, with the events that it is about.
if not redis.call('ZSCORE', ended, 'version 2') then
  if redis.call('EXISTS', ended) == 1 then
    return redis.error_reply('the inbox at ' .. base .. ' is of another version; use that version of @countersign/receiver, or a new prefix')
  end
  if op ~= 'read' then redis.call('ZADD', ended, '+inf', 'version 2') end
end

if op == 'write' then
  local name, from, slot, now = ARGV[2], ARGV[3], ARGV[6], tonumber(ARGV[7])
  local to = cjson.decode(ARGV[4])
  local known = redis.call('HGET', event(name), 'state')
  if known then
    local state = cjson.decode(known)
    if from ~= state.at .. state.token then return 'changed' end
    slot = redis.call('HGET', event(name), 'slot')
  elseif from ~= '' then
    return 'changed'
  end
  if ARGV[9] ~= '' then
    local found, state = with_bytes(ARGV[9], name, now)
    if found and is_handled(state) then return found end
    if found and is_held(state, now) then return state.leaseEndsAt end
  end
  if slot ~= '' then
    local holder = redis.call('HGET', base .. ':claimed', slot)
    if to.at == 'claimed' then
      local held = holder and holder ~= name and redis.call('HGET', event(holder), 'state')
      local until_ = held and cjson.decode(held).leaseEndsAt
      if until_ and until_ > now then return until_ end
      redis.call('HSET', base .. ':claimed', slot, name)
    elseif holder == name then
      redis.call('HDEL', base .. ':claimed', slot)
    end
    if to.at == 'handled' then redis.call('HSET', base .. ':last', slot, name) end
  end
  if not known then
    redis.call('HSET', event(name), 'record', ARGV[5], 'slot', slot, 'bytes', ARGV[8])
    if ARGV[8] ~= '' then redis.call('ZADD', base .. ':bytes:' .. ARGV[8], now, name) end
  end
  redis.call('HSET', event(name), 'state', ARGV[4])
  redis.call('ZADD', ended, now, name)
  return 'done'
end

if op == 'read' then return get(ARGV[2]) end

if op == 'bytes' then return (with_bytes(ARGV[2], ARGV[3], tonumber(ARGV[4]))) or {} end

if op == 'last' then
  local name = redis.call('HGET', base .. ':last', ARGV[2])
  return name and get(name) or {}
end

if op == 'purge' then
  local names = redis.call('ZRANGEBYSCORE', ended, '-inf', '(' .. ARGV[2], 'LIMIT', 0, ARGV[3])
  for _, name in ipairs(names) do
    local slot, bytes = unpack(redis.call('HMGET', event(name), 'slot', 'bytes'))
    for _, hash in ipairs({ ':claimed', ':last' }) do
      if slot and redis.call('HGET', base .. hash, slot) == name then redis.call('HDEL', base .. hash, slot) end
    end
    if bytes and bytes ~= '' then redis.call('ZREM', base .. ':bytes:' .. bytes, name) end
    redis.call('DEL', event(name))
    redis.call('ZREM', ended, name)
  end
  return #names
end

return redis.error_reply('unknown operation')
`;

class RedisRows implements EventRows {
  readonly #send: RedisCommand;
  readonly #prefix: string;
  readonly #sha: string = createHash("sha1").update(SCRIPT).digest("hex");

  constructor(send: RedisCommand, prefix: string) {
    this.#send = send;
    this.#prefix = prefix;
  }

  insert({ state, ...record }: EventRow, { refused }: Guard): Promise<Written> {
    const { key, digest, resource, seenAt, comparesBytes } = record;
    const slot = resource && textOfName(key, resource.name);
    const values = ["", JSON.stringify(state), JSON.stringify(record), slot ?? "", String(seenAt)];
    return this.#write(key, [...values, comparesBytes ? textOfName(key, digest) : ""], refused);
  }

  update({ key, from, to, now, refused }: Update): Promise<Written> {
    const values = [from.at + String(from.token), JSON.stringify(to), "", "", String(now), ""];
    return this.#write(key, values, refused);
  }

  async read(key: EventKey): Promise<EventRow | undefined> {
    return rowOf(await this.#run("read", [textOfKey(key)]));
  }

  async withBytes(digest: string, key: EventKey, now: number): Promise<EventRow | undefined> {
    const values = [textOfName(key, digest), textOfKey(key), String(now)];
    return rowOf(await this.#run("bytes", values));
  }

  async lastHandled(resource: ResourceKey): Promise<ResourceState | undefined> {
    const row = rowOf(await this.#run("last", [textOfName(resource, resource.name)]));
    if (row?.resource === undefined) return undefined;
    const { rank, timestamp } = row.resource;
    return { type: row.type, rank, timestamp };
  }

  async purge({ before, limit }: Parameters<EventRows["purge"]>[0]): Promise<number> {
    return Number(await this.#run("purge", [String(before), String(limit)]));
  }

  async #write(key: EventKey, values: readonly string[], refused?: string): Promise<Written> {
    const bytes = refused === undefined ? "" : textOfName(key, refused);
    const answer = await this.#run("write", [textOfKey(key), ...values, bytes]);
    if (answer === "done" || answer === "changed") return answer;
    if (typeof answer === "number") return { heldUntil: answer };
    const other = rowOf(answer);
    if (other !== undefined) return { duplicateOf: { id: other.key.id, seenAt: other.seenAt } };
    throw new Error("Redis answered the inbox's script with something else");
  }

  /** By the script's digest; with its text if this server has not seen it yet. */
  async #run(operation: string, values: readonly string[]): Promise<unknown> {
    const rest = ["1", this.#prefix, operation, ...values];
    try {
      return await this.#send("EVALSHA", [this.#sha, ...rest]);
    } catch (error) {
      if (!(isError(error) && error.message.startsWith("NOSCRIPT"))) throw error;
      return this.#send("EVAL", [SCRIPT, ...rest]);
    }
  }
}

/** An event's fields `state` and `record`, as `#write` made them. */
function rowOf(answer: unknown): EventRow | undefined {
  if (!Array.isArray(answer)) return undefined;
  const [state, record] = answer as readonly unknown[];
  if (typeof state !== "string" || typeof record !== "string") return undefined;
  const { resource, ...event } = JSON.parse(record) as EventRow;
  return {
    ...event,
    // JSON has no NaN: it writes null.
    resource: resource && { ...resource, timestamp: resource.timestamp ?? Number.NaN },
    state: JSON.parse(state) as EventState,
  };
}
