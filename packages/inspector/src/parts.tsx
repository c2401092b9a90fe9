import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { useInspector, type Action } from "./context.ts";
import type { EventRow } from "./shapes.ts";
import { durationText, formatted } from "./words.ts";

const statuses: Readonly<Record<EventRow["status"], readonly [word: string, tone: string]>> = {
  pending: ["Pending", "none"],
  sending: ["Sending…", "busy"],
  delivered: ["Delivered", "good"],
  failed: ["Failed", "bad"],
  retrying: ["Retrying", "bad"],
  gave_up: ["Gave up", "solid"],
  unsent: ["Not sent", "outline"],
};

/** The status of a delivery. */
export function StatusBadge({ row: { status } }: { readonly row: Pick<EventRow, "status"> }) {
  const [word, tone] = statuses[status];
  return <span class={`badge ${tone}`}>{word}</span>;
}

const tones: Readonly<Record<string, string>> = {
  SUCCEEDED: "good",
  AUTHORIZED: "good",
  ACTIVE: "good",
  TERMINAL_FAILED: "bad",
  CANCELED: "bad",
  PAUSED: "bad",
};

/** The status of a payment, customer or endpoint, in the interface's own word. */
export function WordBadge({ word }: { readonly word: string }) {
  return <span class={`badge ${tones[word] ?? "none"}`}>{word}</span>;
}

const minutes = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const day = { day: "numeric", month: "short", ...minutes } as const;
const forms = {
  short: new Intl.DateTimeFormat(undefined, day),
  weekday: new Intl.DateTimeFormat(undefined, { weekday: "short", ...day }),
  long: new Intl.DateTimeFormat(undefined, {
    ...day,
    weekday: "short",
    year: "numeric",
    second: "2-digit",
    timeZoneName: "short",
  }),
} as const;

/** A time in the reader's zone: of the sandbox's clock, tinted and with a clock glyph, or a real one. */
export function Time({
  at,
  form = "short",
  isReal = false,
}: {
  readonly at: string;
  readonly form?: keyof typeof forms;
  readonly isReal?: boolean;
}) {
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>{at}</span>;
  const title = `${isReal ? "Real" : "Sandbox"} time ${at.replace("T", " ").replace("Z", " UTC")}`;
  return (
    <time class={isReal ? "" : "sandbox-time"} dateTime={at} title={title}>
      {!isReal && <span aria-hidden="true">◷ </span>}
      {forms[form].format(instant)}
    </time>
  );
}

/** Real time as a distance from now: "12 s ago". */
export function Ago({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000));
  const whole = seconds < 60 ? seconds : seconds - (seconds % 60);
  return (
    <time dateTime={at} title={`Real time ${at}`}>
      {seconds < 2 ? "just now" : `${durationText(whole)} ago`}
    </time>
  );
}

/** Literal text: no character is treated as markup. `children` is what is shown in its place. */
export function Code({
  label,
  text,
  children = text,
}: {
  readonly label: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}) {
  const id = useId();
  return (
    <figure class="code">
      <figcaption id={id}>
        <span>{label}</span>
        <CopyButton text={text} label="Copy" name={`Copy: ${label}`} />
      </figcaption>
      <pre tabIndex={0} role="region" aria-labelledby={id}>
        {children}
      </pre>
    </figure>
  );
}

/** Characters of JSON that are coloured: each token of more would take a slow page's time. */
const MAX_COLOURED = 20_000;
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\btrue\b|\bfalse\b|\bnull\b/g;

/** JSON with line breaks and colours; any other text as it is. */
export function Json({ text }: { readonly text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return (
    <>
      {pieces.map(([kind, piece], index) => (
        // oxlint-disable-next-line no-array-index-key -- pieces differ in their place only
        <span key={index} class={kind}>
          {piece}
        </span>
      ))}
    </>
  );
}

function piecesOf(text: string): readonly (readonly [kind: string, text: string])[] {
  if (!/^\s*[{[]/.test(text)) return [["", text]];
  const shown = formatted(text);
  if (shown.length > MAX_COLOURED) return [["", shown]];
  const pieces: [string, string][] = [];
  let end = 0;
  for (const { 0: token, 1: string, 2: colon, index } of shown.matchAll(TOKEN)) {
    pieces.push(["", shown.slice(end, index)]);
    const kind = string === undefined ? "j-value" : colon === undefined ? "j-text" : "j-name";
    pieces.push([kind, token]);
    end = index + token.length;
  }
  return [...pieces, ["", shown.slice(end)]];
}

/** Copies a text, or what a function makes of it then. */
export function CopyButton({
  text,
  label,
  name,
}: {
  readonly text: string | (() => Promise<string>);
  readonly label: string;
  readonly name?: string;
}) {
  const { say } = useInspector();
  const copy = async (): Promise<void> => {
    const wanted = typeof text === "string" ? text : await text().catch(() => undefined);
    if (wanted === undefined) return say("No answer: nothing is copied.");
    await navigator.clipboard.writeText(wanted).then(
      () => say("Copied."),
      () => say("The browser does not allow this page to copy."),
    );
  };
  return (
    <button type="button" class="quiet" aria-label={name} onClick={() => void copy()}>
      {label}
    </button>
  );
}

/** A button that makes calls; disabled while they run and while the sandbox does not answer. */
export function ActionButton({
  action,
  label,
  onRun,
  isPrimary = false,
  reason,
}: {
  readonly action: Action;
  readonly label: string;
  readonly onRun: () => Promise<unknown>;
  readonly isPrimary?: boolean;
  /** The reason why the button is disabled. */
  readonly reason?: string | undefined;
}) {
  const { isOffline } = useInspector();
  return (
    <button
      type="button"
      class={isPrimary ? "primary" : ""}
      disabled={action.isBusy || isOffline || reason !== undefined}
      title={reason}
      onClick={() => void action.run(onRun)}
    >
      {label}
    </button>
  );
}

/** The reason why the last call was refused. */
export function Refusal({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p class="refusal" role="alert">
      {text}
    </p>
  );
}

/** A record that is not there, or not yet. */
export function Absent({
  title,
  refusal,
  children,
}: {
  readonly title: string;
  readonly refusal: string | undefined;
  readonly children: ComponentChildren;
}) {
  if (refusal === undefined) return <p aria-busy="true">…</p>;
  return (
    <article>
      <h1>{title}</h1>
      <p>{children}</p>
      <Refusal text={refusal} />
    </article>
  );
}

/** Facts as pairs of a name and a value; those without a value are left out. */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [string, ComponentChildren])[];
}) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== undefined && value !== null && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** The head of a detail: badge, title, id. */
export function Head({
  badge,
  title,
  id,
}: {
  readonly badge: ComponentChildren;
  readonly title: ComponentChildren;
  readonly id?: string;
}) {
  return (
    <header class="head">
      <h1>{title}</h1>
      {badge}
      {id !== undefined && (
        <span class="id">
          <code>{id}</code> <CopyButton text={id} label="Copy" name="Copy the id" />
        </span>
      )}
    </header>
  );
}
