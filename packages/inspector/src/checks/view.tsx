import { addressOf, useAction, useInspector, useReading, type Place } from "../context.ts";
import { Tabs } from "../layout.tsx";
import { ActionButton, Code, Refusal } from "../parts.tsx";
import {
  counts,
  tested,
  type CheckEntry,
  type CheckReport,
  type Checks,
  type FindingStatus,
  type Tested,
} from "./findings.ts";

const PATH = "/sandbox/inspect/checks";

/** The checks of `countersign verify receiver`, run against the address of `--deliver-to`. */
export function ChecksView({ place: { id, query } }: { readonly place: Place }) {
  const { about, remote } = useInspector();
  const action = useAction();
  const { target } = about;
  const { value } = useReading<Checks>(target === null ? undefined : PATH);
  if (target === null)
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
  if (value === undefined) return <p aria-busy="true">…</p>;
  const { run } = value;
  const rows = tested(value);
  const only = query.get("status");
  const { isRunning = false, progress = null, report = null, problem = null } = run ?? {};
  const { place = 0, total = 1 } = progress ?? {};
  const status = isRunning
    ? `${String(place)} of ${String(total)}: ${progress?.title ?? "starting"}`
    : run === null
      ? "Not run yet."
      : (report?.problems[0] ?? "");
  return (
    <article class="page">
      <h1>{verdictOf(report, rows)}</h1>
      <p>
        Sends valid, forged, repeated and broken webhooks to <code>{target.url}</code> and judges
        its responses. Your handlers run, on events whose ids begin with <code>cstest_</code>; what
        they do only <code>countersign verify receiver --effects-url</code> sees.
      </p>
      <Refusal text={problem ?? action.refusal} />
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
        <Tabs
          label="Results"
          tabs={counts(rows).map(([one, count]) => ({
            key: one,
            href: addressOf("checks", undefined, one === only ? [] : [["status", one]]),
            isShown: one === only,
            text: (
              <>
                <FindingBadge status={one} /> {count}
              </>
            ),
          }))}
        />
      </div>
      {isRunning && (
        <progress aria-label="Checks that have run" max={total} value={Math.max(0, place - 1)} />
      )}
      <p class="one-line soft" role="status">
        {status}
      </p>
      {report?.notes.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <ul class="attempts" aria-label="Requirements, in the order of their checks">
        {rows
          .filter((row) => (only === null ? row.status !== "skipped" : row.status === only))
          .map((row) => (
            <Requirement key={row.requirement} tested={row} isOpen={row.requirement === id} />
          ))}
      </ul>
    </article>
  );
}

function verdictOf(report: CheckReport | null, rows: readonly Tested[]): string {
  if (report === null) return `${String(rows.length)} requirements of a receiver`;
  const failed = rows.filter(({ status }) => status === "fail");
  switch (report.exitCode) {
    case 0:
      return "PASS: nothing fails";
    case 1:
      return `FAIL: ${String(failed.length)} ${failed.length === 1 ? "requirement does" : "requirements do"} not hold`;
    case 2:
      return "FAIL: the receiver could not be judged";
    default:
      return report.exitCode satisfies never;
  }
}

const words: Readonly<Record<FindingStatus, readonly [word: string, tone: string]>> = {
  pass: ["Pass", "good"],
  fail: ["Fail", "solid"],
  warn: ["Warn", "bad"],
  error: ["Error", "solid"],
  not_applicable: ["Not applicable", "none"],
  skipped: ["Skipped", "outline"],
};

/** The status of a finding in a word. */
function FindingBadge({ status }: { readonly status: FindingStatus | undefined }) {
  const [word, tone] = status === undefined ? ["Not run", "none"] : words[status];
  return <span class={`badge ${tone}`}>{word}</span>;
}

/** One requirement: its sentence, its reason, and what each check has found. */
function Requirement({
  tested: { requirement, planned, entries, status },
  isOpen,
}: {
  readonly tested: Tested;
  readonly isOpen: boolean;
}) {
  const [first] = planned;
  const page = entries.find((entry) => entry.page !== undefined)?.page ?? "";
  const isProblem = status === "fail" || status === "error";
  return (
    <li>
      <details open={isOpen || isProblem}>
        <summary>
          <FindingBadge status={status} />
          <strong>{requirement}</strong> {first?.name}
        </summary>
        <p>
          {first?.why} {first?.level}, {first?.source}.{" "}
          {/^https?:\/\//.test(page) && (
            <a href={page} target="_blank" rel="noreferrer noopener">
              About this requirement
            </a>
          )}
        </p>
        {planned.map(({ group, title }) => (
          <section key={group} class="card">
            <p>
              <code>{group}</code> {title}
            </p>
            <Found entry={entries.find((one) => one.group === group)} />
          </section>
        ))}
      </details>
    </li>
  );
}

function Found({ entry }: { readonly entry: CheckEntry | undefined }) {
  if (entry === undefined) return null;
  const { message, fix, exchanges, replay } = entry;
  return (
    <>
      {message !== "" && <p class="summary bad">{message}</p>}
      {fix !== undefined && (
        <p>
          <strong>Fix:</strong> {fix}
        </p>
      )}
      {exchanges?.map(({ sent, received }, index) => (
        // Nothing but their order distinguishes them.
        // oxlint-disable-next-line no-array-index-key
        <div key={index}>
          <Code label="Sent" text={sent} />
          <Code label="Received" text={received === "" ? "(nothing)" : received} />
        </div>
      ))}
      {replay !== undefined && <Code label="This check only, from a shell" text={replay} />}
    </>
  );
}
