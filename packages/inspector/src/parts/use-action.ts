import { useState } from "react";
import { useInspector } from "../inspector-context.ts";
import { CallRefused } from "../remote/remote.ts";

/** What a call answers; its members are the sandbox's promise. */
export type Answered = Readonly<Record<string, unknown>>;

export interface Action {
  readonly isBusy: boolean;
  /** Why the last call was refused. */
  readonly refusal: string | undefined;
  /** Makes a call; resolves with its answer, or with `undefined` where it is refused. */
  readonly run: (
    method: "POST" | "PUT",
    path: string,
    body?: object | string,
  ) => Promise<Answered | undefined>;
}

/** A call that changes something: what it is refused with is kept, and what is shown is read again. */
export function useAction(): Action {
  const { remote, refresh } = useInspector();
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const run: Action["run"] = async (method, path, body) => {
    setBusy(true);
    try {
      const answer = await remote.send<Answered>(method, path, body);
      setRefusal(undefined);
      return answer;
    } catch (error) {
      setRefusal(
        error instanceof CallRefused
          ? `${String(error.status)} ${error.code}: ${error.message}`
          : "The sandbox does not answer.",
      );
      return undefined;
    } finally {
      setBusy(false);
      refresh();
    }
  };
  return { isBusy, refusal, run };
}
