import { refuseMembers, type Route } from "@countersign/service";
import { queryOf } from "../../list-limit.ts";
import { readMembers } from "../../members.ts";
import { refuseControl } from "../../refusals.ts";
import type { CheckRun, CheckRuns } from "../check-runs.ts";
import type { InspectParts } from "../inspect-parts.ts";

/**
 * `GET /sandbox/inspect/checks?run=…&after=…`: what the checks of a receiver would test, and the namespace's
 * latest run. With the number of a run and of its findings that are known, only those after them.
 */
export const getChecks = (parts: InspectParts): Route => ({
  method: "GET",
  scope: undefined,
  answer: async (call) => {
    const run = parts.checks?.latest(call.merchant.id);
    const query = queryOf(call);
    const known = query.get("run") === String(run?.number) ? countIn(query.get("after")) : 0;
    return {
      status: 200,
      body: {
        isAvailable: parts.checks !== undefined,
        owed: query.has("run") ? [] : ((await parts.checks?.owed()) ?? []),
        run: run === undefined ? null : shown(run, known),
      },
    };
  },
});

/** `POST /sandbox/inspect/checks`: starts a run against the address of the command line, and no other. */
export const postChecks = (parts: InspectParts): Route => ({
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    readMembers(call.body, {});
    const run = checksOf(parts).start(call.merchant.id);
    if (run === undefined) throw refuseControl("CHECKS_RUNNING");
    return { status: 202, body: shown(run, 0) };
  },
});

/** `POST /sandbox/inspect/checks/stop`: ends the namespace's run; its findings so far stay. */
export const postChecksStop = (parts: InspectParts): Route => ({
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    readMembers(call.body, {});
    checksOf(parts).stop(call.merchant.id);
    return { status: 202, body: {} };
  },
});

function checksOf({ checks, target }: InspectParts): CheckRuns {
  if (checks !== undefined) return checks;
  throw refuseControl(target === undefined ? "NO_TARGET" : "CHECKS_UNAVAILABLE");
}

function shown({ entries, ...run }: CheckRun, known: number): object {
  return { ...run, known, entries: entries.slice(known) };
}

function countIn(text: string | null): number {
  if (text === null) return 0;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  const message = "the query's after must be a count of findings";
  throw refuseMembers([{ pointer: "/after", code: "INVALID_VALUE", message }]);
}
