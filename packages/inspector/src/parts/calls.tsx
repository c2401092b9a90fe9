import { useSyncExternalStore } from "react";
import { useInspector } from "../inspector-context.ts";
import { Code } from "./code.tsx";
import { curlOf } from "./curl-of.ts";

/** What the page has called to change something, each as the line that does the same. */
export function Calls() {
  const { calls, remote } = useInspector();
  const made = useSyncExternalStore(calls.subscribe, calls.snapshot);
  const [last] = made;
  return (
    <details className="calls">
      <summary>
        {last === undefined ? (
          "Calls made from this page, as curl lines"
        ) : (
          <>
            <span className={`status ${last.status < 400 ? "good" : "bad"}`}>{last.status}</span>{" "}
            {last.method} {last.path}
          </>
        )}
      </summary>
      <div className="calls-list">
        {made.length === 0 && <p className="note">None yet. Each button here is one HTTP call.</p>}
        {made.map((call, index) => (
          <Code
            key={made.length - index}
            label={`${call.method} ${call.path} → ${String(call.status)}`}
            text={curlOf(remote.origin, call)}
          />
        ))}
      </div>
    </details>
  );
}
