import { useState } from "preact/hooks";
import { addressOf, useAction, useEndpoints, useInspector } from "./context.ts";
import { Checkboxes, Field } from "./fields.tsx";
import { Dialog, Split, Table, type Column } from "./layout.tsx";
import { ActionButton, Code, Facts, Head, Refusal, WordBadge } from "./parts.tsx";
import type { Endpoint } from "./shapes.ts";
import { shortUrl } from "./words.ts";

/** The endpoints, and the selected one. */
export function EndpointsView({ selected }: { readonly selected: string | undefined }) {
  const { about } = useInspector();
  const { value, refusal } = useEndpoints();
  const [isNew, setNew] = useState(false);
  const [secret, setSecret] = useState<string>();
  const endpoints = value ?? [];
  const isTarget = ({ url }: Endpoint): boolean => url === about.target?.url;
  const chosen = endpoints.find(({ subscriptionKey }) => subscriptionKey === selected);
  return (
    <Split
      title="Endpoints"
      back={addressOf("endpoints")}
      isDetail={selected !== undefined}
      list={
        <>
          <div class="list-head">
            <p class="counted">
              {endpoints.length} {endpoints.length === 1 ? "endpoint" : "endpoints"}
            </p>
            <button type="button" class="primary" onClick={() => setNew(true)}>
              Add endpoint
            </button>
          </div>
          <Refusal text={refusal} />
          <Table
            caption="Endpoints, the oldest first"
            columns={columnsOf(isTarget)}
            rows={endpoints}
            keyOf={(one) => one.subscriptionKey}
            isSelected={(one) => one === chosen}
          />
          {value !== undefined && endpoints.length === 0 && (
            <p class="nothing">
              No endpoint: events are not sent anywhere. Add your app&apos;s URL.
            </p>
          )}
        </>
      }
    >
      {secret !== undefined && (
        <section class="card once" role="status">
          <h2>Signing secret</h2>
          <p>Shown only once. Give it to the app behind the new endpoint.</p>
          <Code label="secretKey" text={secret} />
        </section>
      )}
      {selected === undefined ? (
        <p class="hint">
          Select an endpoint to test, pause or delete it. The page can add addresses of this
          machine; subscribe others with <code>POST /v1/webhook/subscribe</code>.
        </p>
      ) : chosen === undefined ? (
        <p>
          {value === undefined ? "…" : `No such endpoint: ${selected}. It may have been deleted.`}
        </p>
      ) : (
        <EndpointView key={chosen.subscriptionKey} endpoint={chosen} />
      )}
      {isNew && (
        <NewEndpoint
          hasTarget={about.target !== null && !endpoints.some(isTarget)}
          onClose={() => setNew(false)}
          onSecret={setSecret}
        />
      )}
    </Split>
  );
}

const columnsOf = (isTarget: (one: Endpoint) => boolean): readonly Column<Endpoint>[] => [
  { name: "Status", cell: ({ status }) => <WordBadge word={status} /> },
  {
    name: "URL",
    kind: "c-type",
    cell: (one) => (
      <>
        <a href={addressOf("endpoints", one.subscriptionKey)}>{shortUrl(one.url)}</a>
        {isTarget(one) && <small> --deliver-to</small>}
      </>
    ),
  },
  { name: "Events", kind: "c-subject", cell: (one) => selectionText(one) },
  { name: "Health", kind: "c-response", cell: (one) => healthText(one) },
  { name: "Waiting", kind: "c-attempts", cell: ({ counts }) => counts["waiting"] ?? 0 },
];

/** Describes an endpoint's selection. */
function selectionText({ selection: { include, exclude } }: Endpoint): string {
  const included = include.all ? ["all events"] : [...include.categories, ...include.events];
  const excluded = [...exclude.categories, ...exclude.events];
  return `${included.join(", ")}${excluded.length === 0 ? "" : ` except ${excluded.join(", ")}`}`;
}

function healthText({ consecutiveFailures: failures, lastSuccessAt }: Endpoint): string {
  if (failures > 0) return `${String(failures)} failures in a row`;
  return lastSuccessAt === null ? "nothing sent yet" : "healthy";
}

function EndpointView({ endpoint }: { readonly endpoint: Endpoint }) {
  const { remote, say } = useInspector();
  const action = useAction();
  const { subscriptionKey: key, url, status, counts } = endpoint;
  const failed = counts["exhausted"] ?? 0;
  return (
    <article>
      <Head badge={<WordBadge word={status} />} title={shortUrl(url)} id={key} />
      <div class="buttons">
        <ActionButton
          action={action}
          label={status === "PAUSED" ? "Resume" : "Pause"}
          onRun={() => {
            const move = status === "PAUSED" ? "resume" : "pause";
            return remote.send("POST", `/sandbox/subscriptions/${key}/${move}`);
          }}
        />
        <ActionButton
          action={action}
          label="Delete"
          onRun={async () => {
            await remote.send("PUT", "/v1/webhook/unsubscribe", {
              subscriptionId: key,
              subscriptionDetails: { type: "ALL" },
            });
            location.hash = addressOf("endpoints");
            say("Deleted. What waited for it is dropped.");
          }}
        />
      </div>
      <Refusal text={action.refusal} />
      <Facts
        rows={[
          ["URL", url],
          ["Events", selectionText(endpoint)],
          ["Health", healthText(endpoint)],
          ["Delivered", counts["delivered"] ?? 0],
          ["Waiting", counts["waiting"] ?? 0],
          ["Gave up", failed],
        ]}
      />
      <p>
        <a href={addressOf("events", undefined, [["endpoint", key]])}>Its events</a>
      </p>
    </article>
  );
}

/** Adds an endpoint on this machine. A new secret is shown once, by `onSecret`. */
function NewEndpoint({
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
  const add = async (): Promise<void> => {
    const order = { url, categories: chosen };
    const made = await remote.send<{ subscriptionKey: string; secretKey: string | null }>(
      "POST",
      "/sandbox/inspect/endpoints",
      order,
    );
    onSecret(made.secretKey ?? undefined);
    if (made.secretKey === null) say("Added with the secret of --deliver-to.");
    location.hash = addressOf("endpoints", made.subscriptionKey);
    onClose();
  };
  return (
    <Dialog title="Add an endpoint" onClose={onClose}>
      <div class="form">
        <Field label="URL on this machine" kind="url" value={url} onValue={setUrl} />
      </div>
      <fieldset>
        <legend>Events (all, unless you choose)</legend>
        <Checkboxes options={categories} chosen={chosen} onChosen={setChosen} />
      </fieldset>
      <ActionButton action={action} label="Add" isPrimary onRun={add} />
      <Refusal text={action.refusal} />
    </Dialog>
  );
}
