import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { useInspector, type Action } from "./context.ts";
import type { EventRow } from "./shapes.ts";
import { durationText } from "./words.ts";

const statuses: Readonly<Record<EventRow["status"], { word: string; tone: string }>> = {
  pending: { word: "Pending", tone: "none" },
  sending: { word: "Sending…", tone: "busy" },
  delivered: { word: "Delivered", tone: "good" },
  retrying: { word: "Retrying", tone: "bad" },
  gave_up: { word: "Gave up", tone: "solid" },
  unsent: { word: "Not sent", tone: "outline" },
};

/** The status of a delivery. */
export function StatusBadge({ row }: { readonly row: Pick<EventRow, "status" | "lastStatus"> }) {
  const { word, tone } = statuses[row.status];
  const code = row.status === "retrying" && row.lastStatus !== null ? row.lastStatus : "";
  return (
    <span class={`badge ${tone}`}>
      {word} {code}
    </span>
  );
}

const tones: Readonly<Record<string, string>> = {
  SUCCEEDED: "good",
  ACTIVE: "good",
  TERMINAL_FAILED: "bad",
  CANCELED: "bad",
  PAUSED: "bad",
};

/** The status of a payment, customer or endpoint, in the interface's own word. */
export function WordBadge({ word }: { readonly word: string }) {
  return <span class={`badge ${tones[word] ?? "none"}`}>{word}</span>;
}

const short = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const weekday = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const long = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
});

const forms = { short, weekday, long };

/** A time of the sandbox's clock: tinted, with a clock glyph, in the reader's zone. */
export function SandboxTime({
  at,
  form = "short",
}: {
  readonly at: string;
  readonly form?: "short" | "weekday" | "long";
}) {
  const instant = new Date(at);
  if (Number.isNaN(instant.getTime())) return <span>{at}</span>;
  return (
    <time
      class="sandbox-time"
      dateTime={at}
      title={`Sandbox time ${at.replace("T", " ").replace("Z", " UTC")}`}
    >
      <span aria-hidden="true">◷ </span>
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

/** Literal text: no character is treated as markup. */
export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  const id = useId();
  return (
    <figure class="code">
      <figcaption id={id}>
        <span>{label}</span>
        <CopyButton text={text} label="Copy" name={`Copy: ${label}`} />
      </figcaption>
      <pre tabIndex={0} role="region" aria-labelledby={id}>
        {text}
      </pre>
    </figure>
  );
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
    if (wanted === undefined) return say("The sandbox does not answer.");
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

/** Facts as pairs of a name and a value. */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [string, ComponentChildren])[];
}) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
