import { useState } from "preact/hooks";
import { addressOf, useAction, useInspector, useReading } from "../context.ts";
import { Split, Table, type Column } from "../layout.tsx";
import { ActionButton, Code, Facts, Refusal, SandboxTime, WordBadge } from "../parts.tsx";
import type { Endpoint, WrittenEvent } from "../shapes.ts";
import { shortUrl } from "../words.ts";
import { NewEndpoint } from "./add.tsx";

const PATH = "/sandbox/inspect/endpoints";

/** The endpoints, and the selected one. */
export function EndpointsView({ selected }: { readonly selected: string | undefined }) {
  const { about } = useInspector();
  const { value, refusal } = useReading<{ endpoints: readonly Endpoint[] }>(PATH);
  const [isNew, setNew] = useState(false);
  const [secret, setSecret] = useState<string>();
  const endpoints = value?.endpoints ?? [];
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
            columns={columns}
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
          hasTarget={about.target !== null && !endpoints.some(({ isTarget }) => isTarget)}
          onClose={() => setNew(false)}
          onSecret={setSecret}
        />
      )}
    </Split>
  );
}

const columns: readonly Column<Endpoint>[] = [
  { name: "Status", cell: ({ status }) => <WordBadge word={status} /> },
  {
    name: "URL",
    kind: "c-type",
    cell: ({ subscriptionKey, url, isTarget }) => (
      <>
        <a href={addressOf("endpoints", subscriptionKey)}>{shortUrl(url)}</a>
        {isTarget && <small> --deliver-to</small>}
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
  const { about, remote, say } = useInspector();
  const action = useAction();
  const { subscriptionKey: key, url, status, counts } = endpoint;
  const { include, exclude } = endpoint.selection;
  const type = about.events.find(
    (one) =>
      (include.all ||
        include.categories.includes(one.category) ||
        include.events.includes(one.type)) &&
      !exclude.categories.includes(one.category) &&
      !exclude.events.includes(one.type),
  )?.type;
  const failed = counts["exhausted"] ?? 0;
  const resendFailed = async (): Promise<void> => {
    const query = new URLSearchParams({ tab: "failing", endpoint: key }).toString();
    const { count } = await remote.send<{ count: number }>("POST", "/sandbox/inspect/resend", {
      query,
    });
    say(`${String(count)} sent again.`);
  };
  const exclusion = (details: object) => ({ subscriptionId: key, subscriptionDetails: details });
  const got = [...new Set(about.events.map(({ category }) => category))].filter(
    (one) => (include.all || include.categories.includes(one)) && !exclude.categories.includes(one),
  );
  return (
    <article>
      <header class="event-head">
        <WordBadge word={status} />
        <h1>{shortUrl(url)}</h1>
        <code class="id">{key}</code>
      </header>
      <div class="buttons">
        <ActionButton
          action={action}
          label="Send a test event"
          isPrimary
          reason={type === undefined ? "It selects no event." : undefined}
          onRun={async () => {
            const { id } = await remote.send<WrittenEvent>("POST", "/sandbox/events", { type });
            location.hash = addressOf("events", id);
          }}
        />
        {status === "PAUSED" ? (
          <ActionButton
            action={action}
            label="Resume"
            onRun={() => remote.send("POST", `/sandbox/subscriptions/${key}/resume`)}
          />
        ) : (
          <ActionButton
            action={action}
            label="Pause"
            onRun={() => remote.send("POST", `${PATH}/${key}/pause`)}
          />
        )}
        <ActionButton action={action} label="Resend failing" onRun={resendFailed} />
        <ActionButton
          action={action}
          label="Delete"
          onRun={async () => {
            await remote.send("PUT", "/v1/webhook/unsubscribe", exclusion({ type: "ALL" }));
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
          ...(endpoint.lastSuccessAt === null
            ? []
            : [["Last success", <SandboxTime key="s" at={endpoint.lastSuccessAt} />] as const]),
          ...(endpoint.failingSince === null
            ? []
            : [["Failing since", <SandboxTime key="f" at={endpoint.failingSince} />] as const]),
        ]}
      />
      <p>
        <a href={addressOf("events", undefined, [["endpoint", key]])}>Its events</a>
      </p>
      {got.length > 1 && (
        <>
          <h2>Send less</h2>
          <div class="buttons">
            {got.map((category) => (
              <ActionButton
                key={category}
                action={action}
                label={`Stop ${category} events`}
                onRun={() =>
                  remote.send(
                    "PUT",
                    "/v1/webhook/unsubscribe",
                    exclusion({ type: "CATEGORY", details: [category] }),
                  )
                }
              />
            ))}
          </div>
        </>
      )}
    </article>
  );
}
