import { useState } from "preact/hooks";
import { useInspector } from "../context.ts";
import { Ago, Code, SandboxTime } from "../parts.tsx";
import type { Attempt, Delivery } from "../shapes.ts";
import { diffLines, durationText, responseText } from "../words.ts";
import { diagnose, type Diagnosis } from "./diagnosis.ts";

/** The attempts of a delivery, the newest first and open; two of them can be compared. */
export function Attempts({
  delivery,
  payload,
}: {
  readonly delivery: Delivery;
  readonly payload: string;
}) {
  const { about } = useInspector();
  const [isComparing, setComparing] = useState(false);
  const { attempts, url } = delivery;
  const { length } = about.scheduleSeconds;
  return (
    <>
      <div class="buttons between">
        <span>
          {attempts.length} of {Math.max(length, attempts.length)} attempts
          {delivery.status === "retrying" && nextStep(about.scheduleSeconds, attempts.length)}
        </span>
        {attempts.length > 1 && (
          <button
            type="button"
            aria-pressed={isComparing}
            onClick={() => setComparing(!isComparing)}
          >
            Compare two attempts
          </button>
        )}
      </div>
      {isComparing && <Comparison attempts={attempts} url={url ?? ""} payload={payload} />}
      <ol class="attempts" reversed>
        {attempts.toReversed().map((attempt, index) => (
          <AttemptView
            key={attempt.number}
            attempt={attempt}
            url={url ?? ""}
            payload={payload}
            isOpen={index === 0 && !isComparing}
          />
        ))}
      </ol>
    </>
  );
}

/** Describes the schedule's next step. */
function nextStep(schedule: readonly number[], made: number): string {
  const step = schedule[made];
  return step === undefined
    ? ""
    : `; retry ${String(made + 1)} follows ${durationText(step)} later`;
}

function AttemptView({
  attempt,
  url,
  payload,
  isOpen,
}: {
  readonly attempt: Attempt;
  readonly url: string;
  readonly payload: string;
  /** True for the latest attempt, which the summary above explains. */
  readonly isOpen: boolean;
}) {
  const { about } = useInspector();
  const { number, startedAt, sandboxAt, outcome } = attempt;
  const diagnosis = diagnose(attempt, about.deadlineSeconds);
  const { isGood, what } = diagnosis;
  return (
    <li>
      <details open={isOpen}>
        <summary>
          <strong>Attempt {number}</strong>
          <span class={`badge ${isGood ? "good" : "bad"}`}>{responseText(attempt)}</span>
          {attempt.fault !== null && <span class="badge outline">by a fault</span>}
          {outcome !== null && <span class="badge none">{outcome.outcome}</span>}
          <span class="when">
            <Ago at={startedAt} />
            {sandboxAt !== null && <SandboxTime at={sandboxAt} />}
          </span>
        </summary>
        {!isOpen && <p>{what}</p>}
        {!isOpen && <Why diagnosis={diagnosis} />}
        <div class="sides">
          <Code label="Request" text={requestText(attempt, url, payload)} />
          <Code label="Response (first 1 KiB)" text={answerText(attempt)} />
        </div>
      </details>
    </li>
  );
}

/** The cause and the fix of a failed attempt. */
export function Why({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const { cause, fix, isGuess } = diagnosis;
  if (cause === undefined) return null;
  return (
    <dl class="why">
      <dt>{isGuess ? "Likely cause" : "Cause"}</dt>
      <dd>{cause}</dd>
      {fix !== undefined && (
        <>
          <dt>Fix</dt>
          <dd>{fix}</dd>
        </>
      )}
    </dl>
  );
}

function requestText({ headers }: Attempt, url: string, payload: string): string {
  const known = headers === null ? ["(the secret does not open: no headers)"] : linesOf(headers);
  return [`POST ${url}`, ...known, "", payload].join("\n");
}

function answerText(attempt: Attempt): string {
  const { status, answer, responseHeaders } = attempt;
  if (status === null) return `No response: ${responseText(attempt)}`;
  const fields =
    responseHeaders === null
      ? ["(no headers: made by a fault, or in an earlier run of the sandbox)"]
      : linesOf(responseHeaders);
  return [`HTTP ${String(status)}`, ...fields, "", answer ?? ""].join("\n");
}

const linesOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

/** The differences between two attempts, line by line. */
function Comparison({
  attempts,
  url,
  payload,
}: {
  readonly attempts: readonly Attempt[];
  readonly url: string;
  readonly payload: string;
}) {
  const [first, setFirst] = useState(attempts.at(-2)?.number ?? 1);
  const [second, setSecond] = useState(attempts.at(-1)?.number ?? 1);
  const [one, other] = [first, second].map((number) =>
    attempts.find((attempt) => attempt.number === number),
  );
  if (one === undefined || other === undefined) return null;
  const choice = (label: string, value: number, onChoose: (number: number) => void) => (
    <label>
      {label}{" "}
      <select value={value} onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}>
        {attempts.map((attempt) => (
          <option key={attempt.number} value={attempt.number}>
            Attempt {attempt.number} · {responseText(attempt)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section class="comparison" aria-label="Comparison of two attempts">
      <div class="buttons">
        {choice("Compare", first, setFirst)}
        {choice("with", second, setSecond)}
      </div>
      <Diff
        label="Request"
        texts={[requestText(one, url, payload), requestText(other, url, payload)]}
      />
      <Diff label="Response" texts={[answerText(one), answerText(other)]} />
    </section>
  );
}

const signs = { same: "  ", removed: "− ", added: "+ " } as const;

function Diff({
  label,
  texts,
}: {
  readonly label: string;
  readonly texts: readonly [string, string];
}) {
  return (
    <figure class="code">
      <figcaption>{label}</figcaption>
      <pre class="diff" tabIndex={0} role="region" aria-label={`Differences: ${label}`}>
        {diffLines(...texts).map(({ kind, text }, index) => (
          // oxlint-disable-next-line no-array-index-key -- equal lines differ in their place only
          <span key={index} class={kind}>
            {signs[kind]}
            {text}
            {"\n"}
          </span>
        ))}
      </pre>
    </figure>
  );
}
