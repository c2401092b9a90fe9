import { useInspector } from "../inspector-context.ts";
import { Code } from "../parts/code.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Time } from "../parts/time.tsx";
import type { Attempt, Delivery, ToldEvent, ToldOutcome } from "../remote/shapes.ts";
import { SignatureView } from "./signature-view.tsx";
import { attemptCurl, attemptTest } from "./snippets.ts";

export interface AttemptProps {
  readonly attempt: Attempt;
  readonly delivery: Delivery;
  readonly event: ToldEvent;
  /** What the receiver said of it, if it says anything. */
  readonly outcome: ToldOutcome | undefined;
}

/** One attempt: what was sent, what came back. */
export function AttemptView({ attempt, delivery, event, outcome }: AttemptProps) {
  const { about } = useInspector();
  const { number, startedAt, durationMs, status, error, answer, headers } = attempt;
  const isGood = status !== null && status >= 200 && status < 300;
  return (
    <li>
      <details>
        <summary>
          <span className={`status ${isGood ? "good" : "bad"}`}>{status ?? "no answer"}</span>
          <span>attempt {number}</span>
          <span className="note">
            {durationMs} ms · <Time at={startedAt} />
          </span>
          {outcome !== undefined && <span className="badge outcome">{outcome.outcome}</span>}
          {error !== null && <code>{error}</code>}
        </summary>
        <div className="buttons">
          <CopyButton text={attemptCurl(delivery, attempt, event)} label="copy as curl" />
          <CopyButton text={attemptTest(event, about.signature)} label="copy as test" />
        </div>
        <Code text={requestText(delivery, headers, event.payload)} label="request" />
        <Code
          text={status === null ? (error ?? "") : `HTTP ${String(status)}\n\n${answer ?? ""}`}
          label={status === null ? "no answer" : "answer, its first KiB"}
        />
        <SignatureView deliveryId={delivery.deliveryId} attempt={number} payload={event.payload} />
      </details>
    </li>
  );
}

function requestText(
  { url }: Delivery,
  headers: Readonly<Record<string, string>> | null,
  payload: string,
): string {
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${url ?? ""}`, ...lines, "", payload].join("\n");
}
