import { Code, Facts } from "../parts.tsx";
import type { CheckEntry, FindingStatus, Tested } from "./findings.ts";

const words: Readonly<Record<FindingStatus, { word: string; tone: string }>> = {
  pass: { word: "Pass", tone: "good" },
  fail: { word: "Fail", tone: "solid" },
  warn: { word: "Warn", tone: "bad" },
  error: { word: "Error", tone: "solid" },
  not_applicable: { word: "Not applicable", tone: "none" },
  skipped: { word: "Skipped", tone: "outline" },
};

/** The status of a finding in a word. */
export function FindingBadge({ status }: { readonly status: FindingStatus | undefined }) {
  const { word, tone } = status === undefined ? { word: "Not run", tone: "none" } : words[status];
  return <span class={`badge ${tone}`}>{word}</span>;
}

/** One requirement: its sentence, its reason, and what each check has found. */
export function Requirement({
  tested: { requirement, owed, entries, status },
}: {
  readonly tested: Tested;
}) {
  const [first] = owed;
  if (first === undefined) return null;
  const page = entries.find((entry) => entry.page !== undefined)?.page;
  return (
    <article>
      <header class="event-head">
        <FindingBadge status={status} />
        <h1>{first.name}</h1>
      </header>
      <Facts
        rows={[
          ["Requirement", requirement],
          ["Level", first.level],
          ["Source", first.source],
          ...(page === undefined ? [] : [["Page", <PageLink key="p" page={page} />] as const]),
        ]}
      />
      <p>{first.why}</p>
      {owed.map(({ group, title }) => {
        const entry = entries.find((one) => one.group === group);
        return (
          <section key={group} class="card">
            <header class="buttons between">
              <span>
                <FindingBadge status={entry?.status} /> <code>{group}</code>
              </span>
              {entry !== undefined && <span>took {Math.round(entry.ms)} ms</span>}
            </header>
            <p>{title}</p>
            {entry !== undefined && <Found entry={entry} />}
          </section>
        );
      })}
    </article>
  );
}

/** The requirement's page: a link only if it is a web address. */
function PageLink({ page }: { readonly page: string }) {
  return /^https?:\/\//.test(page) ? (
    <a href={page} target="_blank" rel="noreferrer noopener">
      about this requirement
    </a>
  ) : (
    <code>{page}</code>
  );
}

function Found({ entry: { message, fix, evidence, replay } }: { readonly entry: CheckEntry }) {
  return (
    <>
      {message !== "" && <p class="summary bad">{message}</p>}
      {fix !== undefined && (
        <p>
          <strong>Fix:</strong> {fix}
        </p>
      )}
      {evidence?.exchanges?.map(({ sent, received }, index) => (
        // Nothing but their order distinguishes them.
        // oxlint-disable-next-line no-array-index-key
        <div key={index} class="sides">
          <Code label="Sent" text={sent} />
          <Code label="Received" text={received === "" ? "(nothing)" : received} />
        </div>
      ))}
      {evidence?.curl.map((line) => (
        <Code key={line} label="The same from a shell" text={line} />
      ))}
      {replay !== undefined && <Code label="This check only, from a shell" text={replay} />}
    </>
  );
}
