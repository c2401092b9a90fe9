import { useAction, useInspector } from "../context.ts";
import { Dialog } from "../layout.tsx";
import { ActionButton, Refusal } from "../parts.tsx";

/** Resends the selected deliveries, or those of a query, with their count first. */
export function Resend({
  deliveryIds,
  count,
  query,
  onClose,
}: {
  /** `undefined`: those of the query. */
  readonly deliveryIds: readonly string[] | undefined;
  readonly count: number;
  readonly query: URLSearchParams;
  readonly onClose: () => void;
}) {
  const { remote, say } = useInspector();
  const action = useAction();
  const resend = async (): Promise<void> => {
    for (const id of deliveryIds ?? [])
      // oxlint-disable-next-line no-await-in-loop -- in the order of their selection
      await remote.send("POST", `/sandbox/deliveries/${id}/replay`);
    const sent =
      deliveryIds === undefined
        ? await remote.send<{ count: number }>("POST", "/sandbox/inspect/resend", {
            query: query.toString(),
          })
        : { count };
    say(`${String(sent.count)} sent again.`);
    onClose();
  };
  return (
    <Dialog title="Resend" onClose={onClose}>
      <p role="status">
        {`${String(count)} ${count === 1 ? "delivery" : "deliveries"}`}{" "}
        {deliveryIds === undefined ? "failing under these filters" : "selected"}, each with the same
        id and body, once more. At most 1,000 at a time.
      </p>
      <div class="buttons">
        <ActionButton
          action={action}
          label={`Resend ${String(count)}`}
          isPrimary
          reason={count === 0 ? "There is nothing to resend." : undefined}
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
