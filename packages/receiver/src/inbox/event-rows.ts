import type { ResourceState } from "@countersign/rules";
import type { Awaitable } from "../awaitable.ts";
import type { EventState } from "./event-state.ts";
import type { DeadEvent, EventKey, RecordedEvent } from "./inbox.ts";

/** An event's row: what was recorded of it, and its state. */
export interface EventRow extends RecordedEvent {
  /** The signed bytes of a stored event that is not handled; absent after-handler and once handled. */
  readonly body?: string | undefined;
  readonly state: EventState;
}

/** The pair that an update was decided on. It is met once in an event's life. */
export type Guard = Pick<EventState, "at" | "token">;

/**
 * - `done`: written.
 * - `changed`: another writer came first; read again.
 * - `held`: nothing is written, since another event of the resource is claimed.
 */
export type Written = "done" | "changed" | "held";

/**
 * A table of events. Each call is atomic by itself, and durable where the store is; what is decided
 * over several calls is guarded by `Guard`. At most one row of a resource is `claimed`.
 */
export interface EventRows {
  /** `changed` where the key is known. */
  insert(row: EventRow, now: number): Awaitable<Written>;
  read(key: EventKey): Awaitable<EventRow | undefined>;
  /**
   * Replaces the state where it is still `guard`'s. A state of `handled` or `superseded` drops the
   * body; `body` adds one to a row that has none.
   */
  update(
    key: EventKey,
    guard: Guard,
    state: EventState,
    now: number,
    body?: string,
  ): Awaitable<Written>;
  /** The claimed event of a resource. */
  holder(resource: {
    readonly tenant: string;
    readonly name: string;
  }): Awaitable<EventKey | undefined>;
  lastHandled(resource: {
    readonly tenant: string;
    readonly name: string;
  }): Awaitable<ResourceState | undefined>;
  /**
   * Rows with a body that are received, due or claimed with an ended lease, the longest due first.
   * At most one of each resource, and none of a resource with a claim that still holds.
   */
  due(request: { readonly now: number; readonly limit: number }): Awaitable<readonly EventRow[]>;
  dead(request: { readonly limit: number }): Awaitable<readonly DeadEvent[]>;
  purge(request: { readonly before: number; readonly limit: number }): Awaitable<number>;
}

/** When a state is due to be looked at: since it was received, at its retry, at its lease's end. */
export function dueAtOf(state: EventState): number {
  switch (state.at) {
    case "claimed":
      return state.leaseEndsAt;
    case "waiting":
      return state.retryAt;
    case "received":
      return state.receivedAt;
    case "handled":
    case "superseded":
    case "dead":
      return 0;
    default:
      return state satisfies never;
  }
}

/** The columns of a state, as every store keeps them. */
export interface StateColumns {
  readonly at: string;
  readonly token: number;
  readonly attempts: number;
  readonly dueAt: number;
  readonly reason: string | null;
}

export function columnsOf(state: EventState): StateColumns {
  const { at, token, attempts } = state;
  const reason = state.at === "dead" ? state.reason : null;
  return { at, token, attempts, dueAt: dueAtOf(state), reason };
}

/** @throws {Error} the columns are no state: someone else wrote them. */
export function stateOf({ at, token, attempts, dueAt, reason }: StateColumns): EventState {
  switch (at) {
    case "received":
      return { at, token: 0, attempts: 0, receivedAt: dueAt };
    case "claimed":
      return { at, token, attempts, leaseEndsAt: dueAt };
    case "waiting":
      return { at, token, attempts, retryAt: dueAt };
    case "handled":
    case "superseded":
      return { at, token, attempts };
    case "dead":
      return { at, token, attempts, reason: reason ?? "" };
    default:
      throw new Error(`the inbox holds an event in the unknown state ${JSON.stringify(at)}`);
  }
}

/** One text for a name within a tenant. A tenant may hold any character, so its length stands in front. */
export function nameOf(tenant: string, name: string): string {
  return `${String(tenant.length)}:${tenant}:${name}`;
}
