import { useState } from "preact/hooks";
import { addressOf, useAction, useInspector } from "../context.ts";
import { Dialog } from "../layout.tsx";
import { ActionButton, Refusal } from "../parts.tsx";

const PATH = "/sandbox/inspect/endpoints";

/** Adds an endpoint on this machine. A new secret is shown once, by `onSecret`. */
export function NewEndpoint({
  hasTarget,
  onClose,
  onSecret,
}: {
  /** True if the address of `--deliver-to` is not subscribed. */
  readonly hasTarget: boolean;
  readonly onClose: () => void;
  readonly onSecret: (secret: string | undefined) => void;
}) {
  const { about, remote, say } = useInspector();
  const action = useAction();
  const [url, setUrl] = useState(
    hasTarget ? (about.target?.url ?? "") : "http://localhost:3000/webhooks",
  );
  const categories = [...new Set(about.events.map(({ category }) => category))];
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [types, setTypes] = useState<readonly string[]>([]);
  const details =
    types.length > 0
      ? { type: "EVENT", details: types }
      : chosen.length > 0
        ? { type: "CATEGORY", details: chosen }
        : { type: "ALL" };
  const add = async (): Promise<void> => {
    const made = await remote.send<{ subscriptionKey: string; secretKey: string | null }>(
      "POST",
      PATH,
      {
        url,
        subscriptionDetails: details,
      },
    );
    onSecret(made.secretKey ?? undefined);
    if (made.secretKey === null) say("Added with the secret of --deliver-to.");
    location.hash = addressOf("endpoints", made.subscriptionKey);
    onClose();
  };
  const toggled = (list: readonly string[], one: string): readonly string[] =>
    list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
  return (
    <Dialog title="Add an endpoint" onClose={onClose}>
      <div class="form">
        <label>
          URL on this machine
          <input
            type="url"
            spellcheck={false}
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </label>
      </div>
      <fieldset>
        <legend>Events (all, unless you choose)</legend>
        <div class="buttons">
          {categories.map((one) => (
            <label key={one} class="check">
              <input
                type="checkbox"
                checked={chosen.includes(one)}
                disabled={types.length > 0}
                onChange={() => setChosen(toggled(chosen, one))}
              />{" "}
              {one}
            </label>
          ))}
        </div>
        <details>
          <summary>Single types</summary>
          <div class="types">
            {about.events.map(({ type }) => (
              <label key={type} class="check">
                <input
                  type="checkbox"
                  checked={types.includes(type)}
                  onChange={() => setTypes(toggled(types, type))}
                />{" "}
                {type}
              </label>
            ))}
          </div>
        </details>
      </fieldset>
      <ActionButton action={action} label="Add" isPrimary onRun={add} />
      <Refusal text={action.refusal} />
    </Dialog>
  );
}
