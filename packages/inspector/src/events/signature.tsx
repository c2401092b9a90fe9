import { useEffect, useState } from "preact/hooks";
import { useInspector } from "../context.ts";
import { Choice } from "../fields.tsx";
import { Code, Refusal } from "../parts.tsx";
import { reasonOf } from "../remote.ts";
import type { Delivery, SignatureSteps } from "../shapes.ts";

/** Verifies an attempt's signature in steps. */
export function Signature({
  delivery: { deliveryId, attempts },
  isOpen,
}: {
  readonly delivery: Delivery;
  /** True shows personal members. */
  readonly isOpen: boolean;
}) {
  const { about, remote } = useInspector();
  const numbers = attempts.map(({ number }) => String(number));
  const [attempt, setAttempt] = useState(numbers.at(-1) ?? "1");
  const [steps, setSteps] = useState<SignatureSteps>();
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    const order = { deliveryId, attempt: Number(attempt) };
    const controller = new AbortController();
    const { signal } = controller;
    const masks = about.mode === "listen" && { reveal: isOpen };
    remote
      .send<SignatureSteps>("POST", "/sandbox/inspect/signatures", { ...order, ...masks }, signal)
      .then(
        (answer) => {
          setSteps(answer);
          setRefusal(undefined);
        },
        (error: unknown) => {
          if (!signal.aborted) setRefusal(reasonOf(error));
        },
      );
    return () => controller.abort();
  }, [deliveryId, attempt, isOpen]);
  if (steps === undefined) return <Refusal text={refusal} />;
  const { parts, fingerprint, expected, received, carrier, algorithm } = steps;
  return (
    <>
      <div class="buttons between">
        <Verdict steps={steps} />
        {numbers.length > 1 && (
          <Choice label="Attempt" value={attempt} options={numbers} onValue={setAttempt} />
        )}
      </div>
      {steps.explanations.map(({ cause, certain, sentence, fix }) => (
        <p key={cause} class="summary bad">
          {certain ? "" : "Probably: "}
          {sentence} {fix}
        </p>
      ))}
      <ol class="numbered">
        <li>
          <h2>The signed text</h2>
          <p>
            {about.provider.title} signs{" "}
            {parts.map(({ name, text }, index) => (
              // oxlint-disable-next-line no-array-index-key -- parts have places only
              <code key={index} class={classOf(name)}>
                {index > 0 && " + "}
                {name === "text" ? JSON.stringify(text) : name}
              </code>
            ))}
            ; the body is the raw bytes, before any parser.
          </p>
          <pre tabIndex={0} role="region" aria-label="Signed text" class="signed">
            {parts.map(({ name, text }, index) => (
              // oxlint-disable-next-line no-array-index-key -- as above
              <span key={index} class={classOf(name)} title={name}>
                {text}
              </span>
            ))}
          </pre>
        </li>
        <li>
          <h2>The key</h2>
          <p>
            {algorithm}
            {fingerprint !== null && (
              <>
                {" "}
                with the secret of fingerprint <code>{fingerprint}</code>
              </>
            )}
            . When a signature does not match, your receiver's log line has the fingerprints of its
            own secrets. The secret itself is never shown.
          </p>
        </li>
        <li>
          <h2>The signature</h2>
          {expected !== null && <Code label="Expected" text={expected} />}
          <Code label={`Received in ${carrier}`} text={received ?? "(nothing)"} />
        </li>
      </ol>
    </>
  );
}

function Verdict({ steps: { verdict } }: { readonly steps: SignatureSteps }) {
  const [tone, word] =
    verdict === "genuine"
      ? ["good", "Valid"]
      : verdict === "unknown"
        ? ["none", "Not verified"]
        : ["bad", verdict];
  return (
    <span role="status">
      <span class={`badge ${tone}`}>{word}</span>{" "}
      {verdict === "unknown" ? "without a secret in COUNTERSIGN_SECRET" : "when it was sent"}
    </span>
  );
}

/** The colour of a part: of a body, a time, a fixed text, or any other value. */
function classOf(name: string): string {
  if (name === "body" || name === "timestamp" || name === "text") return `part-${name}`;
  return "part-other";
}
