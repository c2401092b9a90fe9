import type { ResourceState } from "@countersign/rules";
import { createHash } from "node:crypto";
import {
  columnsOf,
  type EventRow,
  type EventRows,
  nameOf,
  stateOf,
  type Written,
} from "./event-rows.ts";
import type { DeadEvent, EventKey } from "./inbox.ts";
import { REDIS_SCRIPT } from "./redis-script.ts";
import { isError } from "../is-error.ts";

/** Sends one command and returns its answer. */
export type RedisCommand = (name: string, values: readonly string[]) => Promise<unknown>;

/** The table of events in Redis. */
export class RedisRows implements EventRows {
  readonly #send: RedisCommand;
  readonly #prefix: string;
  readonly #sha: string = createHash("sha1").update(REDIS_SCRIPT).digest("hex");

  constructor(send: RedisCommand, prefix: string) {
    this.#send = send;
    this.#prefix = prefix;
  }

  async insert(...[row, now]: Parameters<EventRows["insert"]>): Promise<Written> {
    const { key, digest, type, resource, state, body } = row;
    const slot = resource === undefined ? "" : nameOf(key.tenant, resource.name);
    const { rank, timestamp } = resource ?? {};
    return writtenOf(
      await this.#run("insert", [
        nameOfKey(key),
        // In the guard's place.
        "",
        "",
        ...stateValues(state, now),
        body ?? "",
        key.tenant,
        key.id,
        digest,
        type,
        resource?.name ?? "",
        slot,
        rank === undefined ? "" : String(rank),
        Number.isFinite(timestamp) ? String(timestamp) : "",
      ]),
    );
  }

  async update(
    ...[key, guard, state, now, body]: Parameters<EventRows["update"]>
  ): Promise<Written> {
    const identity = [nameOfKey(key), guard.at, String(guard.token)];
    return writtenOf(
      await this.#run("update", [...identity, ...stateValues(state, now), body ?? ""]),
    );
  }

  async read(key: EventKey): Promise<EventRow | undefined> {
    return rowOf(await this.#run("read", [nameOfKey(key)]))?.row;
  }

  async holder({
    tenant,
    name,
  }: Parameters<EventRows["holder"]>[0]): Promise<EventKey | undefined> {
    return rowOf(await this.#run("holder", [nameOf(tenant, name)]))?.row.key;
  }

  async lastHandled({
    tenant,
    name,
  }: Parameters<EventRows["lastHandled"]>[0]): Promise<ResourceState | undefined> {
    const found = rowOf(await this.#run("last", [nameOf(tenant, name)]));
    if (found?.row.resource === undefined) return undefined;
    const { rank, timestamp } = found.row.resource;
    return { type: found.row.type, rank, timestamp };
  }

  async due({ now, limit }: Parameters<EventRows["due"]>[0]): Promise<readonly EventRow[]> {
    const rows = rowsOf(await this.#run("due", [String(now), String(limit)]));
    return rows.map(({ row }) => row);
  }

  async dead({ limit }: Parameters<EventRows["dead"]>[0]): Promise<readonly DeadEvent[]> {
    const rows = rowsOf(await this.#run("dead", [String(limit)]));
    return rows.map(({ row: { key, type, state }, changedAt }) => {
      const reason = state.at === "dead" ? state.reason : "";
      return { key, type, attempts: state.attempts, reason, diedAt: changedAt };
    });
  }

  async purge({ before, limit }: Parameters<EventRows["purge"]>[0]): Promise<number> {
    return Number(await this.#run("purge", [String(before), String(limit)]));
  }

  /** By the script's digest; with its text where this server has not seen it yet. */
  async #run(operation: string, values: readonly string[]): Promise<unknown> {
    const rest = ["1", this.#prefix, operation, ...values];
    try {
      return await this.#send("EVALSHA", [this.#sha, ...rest]);
    } catch (error) {
      if (!(isError(error) && error.message.startsWith("NOSCRIPT"))) throw error;
      return this.#send("EVAL", [REDIS_SCRIPT, ...rest]);
    }
  }
}

const nameOfKey = ({ tenant, id }: EventKey): string => nameOf(tenant, id);

function stateValues(state: EventRow["state"], now: number): string[] {
  const { at, token, attempts, dueAt, reason } = columnsOf(state);
  return [at, String(token), String(attempts), String(dueAt), reason ?? "", String(now)];
}

function writtenOf(answer: unknown): Written {
  if (answer === "done" || answer === "changed" || answer === "held") return answer;
  throw new Error("Redis answered the inbox's script with something else");
}

interface Found {
  readonly row: EventRow;
  readonly changedAt: number;
}

const rowsOf = (answer: unknown): Found[] =>
  Array.isArray(answer)
    ? answer.map((fields: unknown) => rowOf(fields)).filter((found) => found !== undefined)
    : [];

/** Fields and values in turn, as HGETALL gives them within a script. */
function rowOf(answer: unknown): Found | undefined {
  if (!Array.isArray(answer) || answer.length === 0) return undefined;
  const fields = new Map<string, string>();
  for (let index = 0; index < answer.length; index += 2)
    fields.set(String(answer[index]), String(answer[index + 1]));
  const field = (name: string): string => fields.get(name) ?? "";
  const state = stateOf({
    at: field("state"),
    token: Number(field("token")),
    attempts: Number(field("attempts")),
    dueAt: Number(field("due")),
    reason: field("reason"),
  });
  const rank = field("rank") === "" ? undefined : Number(field("rank"));
  const timestamp = field("occurred") === "" ? Number.NaN : Number(field("occurred"));
  const name = field("resource");
  return {
    row: {
      key: { tenant: field("tenant"), id: field("id") },
      digest: field("digest"),
      type: field("type"),
      resource: field("slot") === "" ? undefined : { name, rank, timestamp },
      body: fields.get("body"),
      state,
    },
    changedAt: Number(field("changed")),
  };
}
