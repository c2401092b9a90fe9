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
  const musts = new Set(
    owed.filter(({ level }) => level === "MUST").map(({ requirement }) => requirement),
  );
  const failed = new Set(
    (run?.entries ?? [])
      .filter(({ status }) => status === "fail")
      .map(({ requirement }) => requirement),
  );
  return (
    <article>
      <h1>{verdictOf(run?.report ?? null, { musts: musts.size, failed: failed.size })}</h1>
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
  { musts, failed }: { readonly musts: number; readonly failed: number },
): string {
  if (report === null) return `${String(musts)} MUSTs that a receiver owes`;
  switch (report.exitCode) {
    case 0:
      return "All MUSTs hold";
    case 1:
      return `${String(failed)} ${failed === 1 ? "MUST does" : "MUSTs do"} not hold`;
    case 2:
      return "The run says too little";
    default:
      return report.exitCode satisfies never;
  }
}
