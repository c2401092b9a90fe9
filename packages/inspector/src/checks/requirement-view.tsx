import { Code } from "../parts/code.tsx";
import type { CheckEntry } from "./shapes.ts";
import { StatusBadge } from "./status-badge.tsx";
import type { Tested } from "./tested.ts";

/** One requirement: its sentence, why it is there, and what each check has found, in the report's words. */
export function RequirementView({ tested }: { readonly tested: Tested }) {
  const { requirement, owed, entries, status } = tested;
  const [first] = owed;
  if (first === undefined) return null;
  const page = entries.find((entry) => entry.page !== undefined)?.page;
  return (
    <article>
      <h1>{first.name}</h1>
      <p className="facts">
        <StatusBadge status={status} />
        <span className="mono">{requirement}</span>
        <span>{first.level}</span>
        <span>{first.source}</span>
        {page !== undefined && <PageLink page={page} />}
      </p>
      <p>{first.why}</p>
      {owed.map(({ group, title }) => {
        const entry = entries.find((one) => one.group === group);
        return (
          <section key={group} className="card">
            <header className="card-head">
              <StatusBadge status={entry?.status} />
              <span className="mono url">{group}</span>
              {entry !== undefined && (
                <span className="note">the check took {Math.round(entry.ms)} ms</span>
              )}
            </header>
            <p className="note">{title}</p>
            {entry !== undefined && <Found entry={entry} />}
          </section>
        );
      })}
    </article>
  );
}

/** The requirement's page: an address of another site is opened beside this one, and knows nothing of it. */
function PageLink({ page }: { readonly page: string }) {
  return /^https?:\/\//.test(page) ? (
    <a href={page} target="_blank" rel="noreferrer noopener">
      the requirement&apos;s page
    </a>
  ) : (
    <code>{page}</code>
  );
}

function Found({ entry: { message, fix, evidence, replay } }: { readonly entry: CheckEntry }) {
  return (
    <>
      {message !== "" && <p className="said">{message}</p>}
      {fix !== undefined && (
        <p>
          <strong>What to change:</strong> {fix}
        </p>
      )}
      {evidence?.exchanges?.map(({ sent, received }, index) => (
        // The order in which they went over the wire is all that tells them apart.
        // oxlint-disable-next-line no-array-index-key
        <div key={index} className="exchange">
          <Code label="sent, as bytes" text={sent} />
          <Code label="received" text={received === "" ? "(nothing)" : received} />
        </div>
      ))}
      {evidence?.curl.map((line) => (
        <Code key={line} label="the same from a shell" text={line} />
      ))}
      {replay !== undefined && <Code label="this check alone, from a shell" text={replay} />}
    </>
  );
}
