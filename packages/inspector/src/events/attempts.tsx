import { useState } from "preact/hooks";
import { useInspector } from "../context.ts";
import { Choice } from "../fields.tsx";
import { Ago, Code, Json, Time } from "../parts.tsx";
import type { Attempt, Delivery, Diagnosis } from "../shapes.ts";
import { diffLines, durationText, responseText } from "../words.ts";

/** The attempts of a delivery, the newest first and open; two of them can be compared. */
export function Attempts({
  delivery: { attempts, url, status },
  payload,
}: {
  readonly delivery: Delivery;
  readonly payload: string;
}) {
  const { scheduleSeconds } = useInspector().about;
  const [isComparing, setComparing] = useState(false);
  const of =
    scheduleSeconds.length > attempts.length ? ` of ${String(scheduleSeconds.length)}` : "";
  const step = status === "retrying" ? scheduleSeconds[attempts.length] : undefined;
  const texts = attempts.map((one) => ({
    one,
    request: requestText(one, url ?? ""),
    body: one.payload ?? payload,
    response: responseHead(one),
  }));
  return (
    <>
      <div class="buttons between">
        <span class="soft">
          {attempts.length}
          {of} {attempts.length === 1 && of === "" ? "attempt" : "attempts"}
          {step !== undefined && `; the next one ${durationText(step)} later`}
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
      {isComparing && <Comparison texts={texts} />}
      <ol class="attempts" reversed>
        {texts.toReversed().map((text, index) => (
          <AttemptView key={text.one.number} text={text} isOpen={index === 0 && !isComparing} />
        ))}
      </ol>
    </>
  );
}

interface AttemptText {
  readonly one: Attempt;
  /** The request's first line and header fields. */
  readonly request: string;
  readonly body: string;
  /** The response's first line and header fields. */
  readonly response: string;
}

function AttemptView({
  text: { one, request, body, response },
  isOpen,
}: {
  readonly text: AttemptText;
  /** True for the latest attempt, which the summary above explains. */
  readonly isOpen: boolean;
}) {
  const { number, startedAt, sandboxAt, fault, isOwn = false, diagnosis, answer } = one;
  return (
    <li>
      <details open={isOpen}>
        <summary>
          <strong>Attempt {number}</strong>
          <span class={`badge ${diagnosis.isGood ? "good" : "bad"}`}>{responseText(one)}</span>
          {fault != null && <span class="badge outline">by a fault</span>}
          {isOwn && <span class="badge outline">sent from here</span>}
          <span class="when">
            <Ago at={startedAt} />
            {sandboxAt != null && <Time at={sandboxAt} />}
          </span>
        </summary>
        {!isOpen && <p>{diagnosis.what}</p>}
        {!isOpen && <Why diagnosis={diagnosis} />}
        <Http label="Response" head={response} body={answer ?? ""} />
        <Http label="Request" head={request} body={body} />
      </details>
    </li>
  );
}

function Http({
  label,
  head,
  body,
}: {
  readonly label: string;
  readonly head: string;
  readonly body: string;
}) {
  return (
    <Code label={label} text={`${head}\n\n${body}`}>
      <span class="soft">{head}</span>
      {"\n\n"}
      <Json text={body} />
    </Code>
  );
}

/** The cause and the fix of a failed attempt. */
export function Why({ diagnosis: { cause, fix, isGuess } }: { readonly diagnosis: Diagnosis }) {
  if (cause === null) return null;
  return (
    <dl class="why">
      <dt>{isGuess ? "Likely cause" : "Cause"}</dt>
      <dd>{cause}</dd>
      {fix !== null && (
        <>
          <dt>Fix</dt>
          <dd>{fix}</dd>
        </>
      )}
    </dl>
  );
}

function requestText({ headers }: Attempt, url: string): string {
  const known = headers === null ? ["(the secret does not open: no headers)"] : linesOf(headers);
  return [`POST ${url}`, ...known].join("\n");
}

function responseHead(attempt: Attempt): string {
  const { status, responseHeaders } = attempt;
  if (status === null) return `No response: ${responseText(attempt)}`;
  const fields = responseHeaders === null ? ["(no headers known)"] : linesOf(responseHeaders);
  return [`HTTP ${String(status)}`, ...fields].join("\n");
}

const linesOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

/** The differences between two attempts, line by line. */
function Comparison({ texts }: { readonly texts: readonly AttemptText[] }) {
  const [first, setFirst] = useState(String(texts.at(-2)?.one.number));
  const [second, setSecond] = useState(String(texts.at(-1)?.one.number));
  const find = (number: string) => texts.find(({ one }) => String(one.number) === number);
  const [one, other] = [find(first), find(second)];
  if (one === undefined || other === undefined) return null;
  const options = texts.map(
    ({ one: each }) =>
      [String(each.number), `Attempt ${String(each.number)} · ${responseText(each)}`] as const,
  );
  const request = ({ request: head, body }: AttemptText): string => `${head}\n\n${body}`;
  const response = ({ response: head, one: { answer } }: AttemptText): string =>
    `${head}\n\n${answer ?? ""}`;
  return (
    <section class="card" aria-label="Comparison of two attempts">
      <div class="buttons">
        <Choice label="Compare" value={first} options={options} onValue={setFirst} />
        <Choice label="with" value={second} options={options} onValue={setSecond} />
      </div>
      <Diff label="Response" texts={[response(one), response(other)]} />
      <Diff label="Request" texts={[request(one), request(other)]} />
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
