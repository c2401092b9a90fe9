import { CurlLine } from "../parts/curl-line.tsx";
import { Time } from "../parts/time.tsx";
import type { CheckReport, Checks } from "./shapes.ts";
import { CHECKS_PATH } from "./use-checks.ts";

/** What the checks are, and what the latest run has come to. */
export function CheckOverview({
  checks: { isAvailable, run, owed },
  target,
}: {
  readonly checks: Checks;
  readonly target: string;
}) {
  const requirements = new Set(owed.map(({ requirement }) => requirement));
  const failed = new Set(
    (run?.entries ?? [])
      .filter(({ status }) => status === "fail")
      .map(({ requirement }) => requirement),
  );
  return (
    <article>
      <h1>{verdictOf(run?.report ?? null, { total: requirements.size, failed: failed.size })}</h1>
      <p>
        The checks of <code>countersign verify receiver</code> send genuine, forged, repeated and
        broken attempts to <code>{target}</code>, the address of <code>--deliver-to</code>, and
        judge its answers by the requirements on the list. This page cannot name another address.
      </p>
      {!isAvailable && <p className="refusal">This sandbox was started without the checks.</p>}
      {run?.problem != null && <p className="refusal">{run.problem}</p>}
      {run?.report != null && <About report={run.report} />}
      <p className="note">
        Its handlers will see events of their own ids, which begin with <code>cstest_</code>. What
        they have done is not seen from here; <code>countersign verify receiver --effects-url</code>{" "}
        looks at that too.
      </p>
      <CurlLine method="POST" path={CHECKS_PATH} />
    </article>
  );
}

function About({
  report: { about, notes, problems, uncovered },
}: {
  readonly report: CheckReport;
}) {
  return (
    <>
      {problems.map((text) => (
        <p key={text} className="refusal">
          {text}
        </p>
      ))}
      {notes.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <p className="facts">
        <Time at={about.startedAt} isLong />
        <span>profile {about.profile.name}</span>
        <span>seed {about.seed}</span>
        <span>kit {about.kit}</span>
      </p>
      {uncovered.length > 0 && (
        <details>
          <summary className="note">
            {uncovered.length} requirements of receivers that no check of this run tests
          </summary>
          <p className="mono">{uncovered.map(({ id }) => id).join(" ")}</p>
        </details>
      )}
    </>
  );
}

function verdictOf(
  report: CheckReport | null,
  { total, failed }: { readonly total: number; readonly failed: number },
): string {
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
