import { useEffect, useState } from "preact/hooks";
import { useAction, useInspector } from "../context.ts";
import { Dialog } from "../layout.tsx";
import { ActionButton, Refusal } from "../parts.tsx";

/** Resends deliveries, with their count first. */
export function Resend({
  deliveryIds,
  query,
  onClose,
}: {
  readonly deliveryIds: readonly string[] | undefined;
  readonly query: URLSearchParams;
  readonly onClose: () => void;
}) {
  const { remote, say } = useInspector();
  const action = useAction();
  const [count, setCount] = useState<number>();
  const [since, setSince] = useState("");
  const from = since === "" ? (query.get("from") ?? "") : new Date(since).toISOString();
  const filter = new URLSearchParams({ ...Object.fromEntries(query), from, before: "" }).toString();
  const body = deliveryIds === undefined ? { query: filter } : { deliveryIds };
  const path = "/sandbox/inspect/resend";
  useEffect(() => {
    setCount(undefined);
    remote.send<{ count: number }>("POST", path, { ...body, countOnly: true }).then(
      (answer) => setCount(answer.count),
      () => undefined,
    );
  }, [filter]);
  const resend = async (): Promise<void> => {
    const answer = await remote.send<{ count: number }>("POST", path, body);
    say(`${String(answer.count)} sent again.`);
    onClose();
  };
  return (
    <Dialog title="Resend" onClose={onClose}>
      <p role="status">
        {count === undefined
          ? "Counting…"
          : `${String(count)} ${count === 1 ? "delivery" : "deliveries"}`}{" "}
        {deliveryIds === undefined ? "failing under these filters" : "selected"}, each with the same
        id and body, once more. At most 1,000 at a time.
      </p>
      {deliveryIds === undefined && (
        <label>
          Only events since (sandbox time, optional){" "}
          <input
            type="datetime-local"
            value={since}
            onChange={({ currentTarget }) => setSince(currentTarget.value)}
          />
        </label>
      )}
      <div class="buttons">
        <ActionButton
          action={action}
          label={`Resend ${String(count ?? "")}`}
          isPrimary
          reason={count === undefined || count === 0 ? "There is nothing to resend." : undefined}
          onRun={resend}
        />
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
      <Refusal text={action.refusal} />
    </Dialog>
  );
}
