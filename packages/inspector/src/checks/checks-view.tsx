import { useState } from "react";
import { useInspector } from "../inspector-context.ts";
import { SplitView } from "../parts/split-view.tsx";
import { addressOf } from "../parts/use-place.ts";
import { CheckOverview } from "./check-overview.tsx";
import { CheckProgress } from "./check-progress.tsx";
import { RequirementView } from "./requirement-view.tsx";
import type { FindingStatus } from "./shapes.ts";
import { StatusBadge } from "./status-badge.tsx";
import { tested } from "./tested.ts";
import { useChecks } from "./use-checks.ts";

/** The checks of `countersign verify receiver`, run from the page against the address of the command line. */
export function ChecksView({ selected }: { readonly selected: string | undefined }) {
  const { about } = useInspector();
  const checks = useChecks();
  const [only, setOnly] = useState<FindingStatus>();
  if (about.target === null) return <NoTarget />;
  if (checks === undefined) return <div className="page" aria-busy="true" />;
  const rows = tested(checks);
  const shown = rows.filter(({ status }) => only === undefined || status === only);
  const row = rows.find(({ requirement }) => requirement === selected);
  return (
    <SplitView
      view="checks"
      title="Checks"
      selected={row?.requirement}
      list={
        <>
          <CheckProgress run={checks.run} rows={rows} only={only} onOnly={setOnly} />
          {shown.map(({ requirement, owed, status }) => (
            <a
              key={requirement}
              className="row resource"
              href={addressOf("checks", requirement)}
              aria-current={requirement === selected ? "true" : undefined}
            >
              <span className="row-type">{requirement}</span>
              <span className="row-badges">
                <StatusBadge status={status} />
              </span>
              <span className="row-subject">{owed[0]?.name}</span>
              <span className="row-time">{owed[0]?.level}</span>
            </a>
          ))}
        </>
      }
    >
      {row === undefined ? (
        <CheckOverview checks={checks} target={about.target.url} />
      ) : (
        <RequirementView key={row.requirement} tested={row} />
      )}
    </SplitView>
  );
}

function NoTarget() {
  return (
    <div className="page">
      <h1>Checks</h1>
      <p>
        The checks send genuine, forged, repeated and broken attempts to a receiver and say which
        requirements it holds. They run against one address alone, the one of{" "}
        <code>--deliver-to</code>, and the sandbox was started without. Start it with your
        receiver&apos;s:
      </p>
      <p>
        <code>countersign sandbox --deliver-to http://localhost:3000/webhooks</code>
      </p>
    </div>
  );
}
