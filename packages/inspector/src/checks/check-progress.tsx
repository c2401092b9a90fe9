import { ActionButton } from "../parts/action-button.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { useAction } from "../parts/use-action.ts";
import type { CheckRun, FindingStatus } from "./shapes.ts";
import { StatusBadge } from "./status-badge.tsx";
import { counts, type Tested } from "./tested.ts";
import { CHECKS_PATH } from "./use-checks.ts";

export interface CheckProgressProps {
  readonly run: CheckRun | null;
  readonly rows: readonly Tested[];
  /** The one status whose rows are shown; all where it is absent. */
  readonly only: FindingStatus | undefined;
  readonly onOnly: (only: FindingStatus | undefined) => void;
}

/** Starts and stops a run, and says how far it has come. */
export function CheckProgress({ run, rows, only, onOnly }: CheckProgressProps) {
  const action = useAction();
  const { isRunning = false, progress = null } = run ?? {};
  const { place = 0, total = 1 } = progress ?? {};
  const isDone = run !== null && !isRunning;
  return (
    <div className="list-head">
      <div className="buttons">
        <ActionButton
          action={action}
          label={run === null ? "run the checks" : "run again"}
          path={CHECKS_PATH}
          isPrimary
          isOff={isRunning}
        />
        <ActionButton
          action={action}
          label="stop"
          path={`${CHECKS_PATH}/stop`}
          isOff={!isRunning}
        />
        {counts(rows).map(([status, count]) => (
          <button
            key={status}
            type="button"
            className="quiet"
            aria-pressed={status === only}
            onClick={() => onOnly(status === only ? undefined : status)}
          >
            <StatusBadge status={status} /> {count}
          </button>
        ))}
      </div>
      <progress
        aria-label="Checks that have run"
        max={total}
        value={isDone ? total : Math.max(0, place - 1)}
      />
      <p className="note one-line" role="status">
        {run === null
          ? "not run yet"
          : isRunning
            ? `${String(place)} of ${String(total)}: ${progress?.title ?? "starting"}`
            : (run.problem ?? run.report?.problems[0] ?? `all ${String(total)} checks have run`)}
      </p>
      <Refusal action={action} />
    </div>
  );
}
