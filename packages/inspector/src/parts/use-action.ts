import { useState } from "react";
import { useInspector } from "../inspector-context.ts";
import { CallRefused } from "../remote/remote.ts";

export interface Action {
  readonly isBusy: boolean;
  /** Why the last call was refused. */
  readonly refusal: string | undefined;
  /** Makes a call; resolves with whether it succeeded. */
  readonly run: (method: "POST" | "PUT", path: string, body?: object | string) => Promise<boolean>;
}

/** A call that changes something: what it is refused with is kept, and what is shown is read again. */
export function useAction(): Action {
  const { remote, refresh } = useInspector();
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const run: Action["run"] = async (method, path, body) => {
    setBusy(true);
    try {
      await remote.send(method, path, body);
      setRefusal(undefined);
      return true;
    } catch (error) {
      setRefusal(
        error instanceof CallRefused
          ? `${String(error.status)} ${error.code}: ${error.message}`
          : "The sandbox does not answer.",
      );
      return false;
    } finally {
      setBusy(false);
      refresh();
    }
  };
  return { isBusy, refusal, run };
}
