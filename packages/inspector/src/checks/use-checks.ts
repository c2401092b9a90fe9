import { useContext, useEffect, useRef, useState } from "react";
import { NewsContext, useInspector } from "../inspector-context.ts";
import type { CheckRun, Checks } from "./shapes.ts";

export const CHECKS_PATH = "/sandbox/inspect/checks";

/** As the sandbox answers: of the entries those after the `known` first ones. */
interface Told extends Checks {
  readonly run: (CheckRun & { readonly known: number }) | null;
}

/** The checks and their latest run, read on as the run goes; `undefined` before the first answer. */
export function useChecks(): Checks | undefined {
  const { remote } = useInspector();
  const news = useContext(NewsContext);
  const [checks, setChecks] = useState<Checks>();
  const latest = useRef<Checks>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    const before = latest.current;
    remote.get<Told>(pathAfter(before), controller.signal).then(
      (told) => {
        const now = before === undefined ? told : { ...before, run: joined(before.run, told.run) };
        latest.current = now;
        setChecks(now);
      },
      // The next news asks again.
      () => undefined,
    );
    return () => controller.abort();
  }, [remote, news]);
  return checks;
}

function pathAfter(before: Checks | undefined): string {
  if (before === undefined) return CHECKS_PATH;
  const { number = 0, entries = [] } = before.run ?? {};
  return `${CHECKS_PATH}?run=${String(number)}&after=${String(entries.length)}`;
}

function joined(before: CheckRun | null, told: Told["run"]): CheckRun | null {
  if (told === null || before?.number !== told.number) return told;
  return { ...told, entries: [...before.entries.slice(0, told.known), ...told.entries] };
}
