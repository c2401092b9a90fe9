import { useRef, useState } from "preact/hooks";
import {
  counts,
  tested,
  type CheckReport,
  type CheckRun,
  type Checks,
  type Tested,
} from "./findings.ts";
import { addressOf, useAction, useInspector, useReads, type Place } from "../context.ts";
import { Split, Table, type Column } from "../layout.tsx";
import { ActionButton, Code, Facts, Refusal } from "../parts.tsx";
import { FindingBadge, Requirement } from "./requirement.tsx";

const PATH = "/sandbox/inspect/checks";

/** The sandbox's answer, with the entries after the first `known` ones. */
interface Answered extends Checks {
  readonly run: (CheckRun & { readonly known: number }) | null;
}

/** Reads the checks and their latest run, and further entries as they arrive. */
function useChecks(): Checks | undefined {
  const { remote } = useInspector();
  const [checks, setChecks] = useState<Checks>();
  const latest = useRef<Checks>(undefined);
  useReads(PATH, async (signal) => {
    const before = latest.current;
    const { number = 0, entries = [] } = before?.run ?? {};
    const path =
      before === undefined ? PATH : `${PATH}?run=${String(number)}&after=${String(entries.length)}`;
    try {
      const answer = await remote.get<Answered>(path, signal);
      if (signal.aborted) return;
      const run = joined(before?.run ?? null, answer.run);
      latest.current = before === undefined ? answer : { ...before, run };
      setChecks(latest.current);
    } catch {
      // The next message triggers another request.
    }
  });
  return checks;
}

function joined(before: CheckRun | null, answered: Answered["run"]): CheckRun | null {
  if (answered === null || before?.number !== answered.number) return answered;
  return {
    ...answered,
    entries: [...before.entries.slice(0, answered.known), ...answered.entries],
  };
}

/** The checks of `countersign verify receiver`, run against the address of `--deliver-to`. */
export function ChecksView({ place: { id, query } }: { readonly place: Place }) {
  const { about } = useInspector();
  const checks = useChecks();
  if (about.target === null) {
    return (
      <article class="page">
        <h1>Checks</h1>
        <p>
          The checks send valid, forged, repeated and broken webhooks to a receiver and report which
          requirements hold. They run against the address of <code>--deliver-to</code>, and this
          sandbox has none. Start it with your receiver&apos;s URL:
        </p>
        <Code
          label="Command"
          text="countersign sandbox --deliver-to http://localhost:3000/webhooks"
        />
      </article>
    );
  }
  if (checks === undefined) return <p aria-busy="true">…</p>;
  const rows = tested(checks);
  const only = query.get("status");
  const row = rows.find(({ requirement }) => requirement === id);
  return (
    <Split
      title="Checks"
      back={addressOf("checks", undefined, query)}
      isDetail={row !== undefined}
      list={
        <>
          <Run run={checks.run} rows={rows} only={only} />
          <Table
            caption="Requirements, in the order of their checks"
            kind="checks"
            columns={columnsOf(query)}
            rows={rows.filter(({ status }) => only === null || status === only)}
            keyOf={({ requirement }) => requirement}
            isSelected={({ requirement }) => requirement === id}
          />
        </>
      }
    >
      {row === undefined ? (
        <Overview checks={checks} rows={rows} target={about.target.url} />
      ) : (
        <Requirement key={row.requirement} tested={row} />
      )}
    </Split>
  );
}

const columnsOf = (query: URLSearchParams): Column<Tested>[] => [
  { name: "Result", cell: ({ status }) => <FindingBadge status={status} /> },
  {
    name: "Requirement",
    kind: "c-type",
    cell: ({ requirement }) => <a href={addressOf("checks", requirement, query)}>{requirement}</a>,
  },
  { name: "Sentence", kind: "c-response", cell: ({ owed }) => owed[0]?.name },
  { name: "Level", kind: "c-level", cell: ({ owed }) => owed[0]?.level },
];

/** Starts and stops a run, and shows its progress and counts. */
function Run({
  run,
  rows,
  only,
}: {
  readonly run: CheckRun | null;
  readonly rows: readonly Tested[];
  readonly only: string | null;
}) {
  const { remote } = useInspector();
  const action = useAction();
  const { isRunning = false, progress = null } = run ?? {};
  const { place = 0, total = 1 } = progress ?? {};
  const status =
    run === null
      ? "Not run yet."
      : isRunning
        ? `${String(place)} of ${String(total)}: ${progress?.title ?? "starting"}`
        : (run.problem ?? run.report?.problems[0] ?? `All ${String(total)} checks have run.`);
  return (
    <div class="run">
      <div class="buttons">
        <ActionButton
          action={action}
          label={run === null ? "Run the checks" : "Run again"}
          isPrimary
          reason={isRunning ? "A run is under way." : undefined}
          onRun={() => remote.send("POST", PATH)}
        />
        {isRunning && (
          <ActionButton
            action={action}
            label="Stop"
            onRun={() => remote.send("POST", `${PATH}/stop`)}
          />
        )}
        <nav class="tabs small" aria-label="Results">
          {counts(rows).map(([one, count]) => (
            <a
              key={one}
              href={addressOf("checks", undefined, one === only ? [] : [["status", one]])}
              aria-current={one === only ? "true" : undefined}
            >
              <FindingBadge status={one} /> {count}
            </a>
          ))}
        </nav>
      </div>
      <progress
        aria-label="Checks that have run"
        max={total}
        value={run !== null && !isRunning ? total : Math.max(0, place - 1)}
      />
      <p class="one-line" role="status">
        {status}
      </p>
      <Refusal text={action.refusal} />
    </div>
  );
}

/** Describes the checks, and the result of the latest run. */
function Overview({
  checks: { isAvailable, run },
  rows,
  target,
}: {
  readonly checks: Checks;
  readonly rows: readonly Tested[];
  readonly target: string;
}) {
  const failed = rows.filter(({ status }) => status === "fail").length;
  return (
    <article>
      <h1>{verdictOf(run?.report ?? null, rows.length, failed)}</h1>
      <p>
        The checks of <code>countersign verify receiver</code> send valid, forged, repeated and
        broken webhooks to <code>{target}</code> and judge its responses. This page cannot name
        another address.
      </p>
      {!isAvailable && <p class="refusal">This sandbox was started without the checks.</p>}
      <Refusal text={run?.problem ?? undefined} />
      {run?.report != null && <Report report={run.report} />}
      <p>
        Your handlers see events whose ids begin with <code>cstest_</code>. This page does not see
        what they do; <code>countersign verify receiver --effects-url</code> does.
      </p>
    </article>
  );
}

function Report({
  report: { about, notes, problems, uncovered },
}: {
  readonly report: CheckReport;
}) {
  return (
    <>
      {problems.map((text) => (
        <p key={text} class="refusal">
          {text}
        </p>
      ))}
      {notes.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <Facts
        rows={[
          ["Started", about.startedAt],
          ["Profile", about.profile],
          ["Seed", about.seed],
          ["Kit", about.kit],
        ]}
      />
      {uncovered.length > 0 && (
        <details>
          <summary>{uncovered.length} requirements are not covered by a check</summary>
          <p class="mono">{uncovered.map(({ id }) => id).join(" ")}</p>
        </details>
      )}
    </>
  );
}

function verdictOf(report: CheckReport | null, total: number, failed: number): string {
  if (report === null) return `${String(total)} requirements of a receiver`;
  switch (report.exitCode) {
    case 0:
      return "PASS: nothing fails";
    case 1:
      return `FAIL: ${String(failed)} ${failed === 1 ? "requirement does" : "requirements do"} not hold`;
    case 2:
      return "FAIL: the receiver could not be judged";
    default:
      return report.exitCode satisfies never;
  }
}
