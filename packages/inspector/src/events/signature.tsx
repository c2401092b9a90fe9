import { useEffect, useState } from "preact/hooks";
import { useInspector } from "../context.ts";
import { Code, Refusal } from "../parts.tsx";
import { reasonOf } from "../remote.ts";
import type { Delivery, SignatureSteps } from "../shapes.ts";
import { signatureLines } from "./snippets.ts";

/** Bytes that are shown around the first difference. */
const AROUND = 16;

/** Verifies an attempt's signature in four steps, as sent or as a receiver says that it arrived. */
export function Signature({
  delivery,
  payload,
}: {
  readonly delivery: Delivery;
  readonly payload: string;
}) {
  const { about, remote } = useInspector();
  const numbers = delivery.attempts.map(({ number }) => number);
  const [attempt, setAttempt] = useState(numbers.at(-1) ?? 1);
  const [body, setBody] = useState(payload);
  const [signature, setSignature] = useState<string>();
  const [steps, setSteps] = useState<SignatureSteps>();
  const [refusal, setRefusal] = useState<string>();
  const { deliveryId } = delivery;
  useEffect(() => {
    const order = { deliveryId, attempt, body, ...(signature !== undefined && { signature }) };
    const controller = new AbortController();
    remote
      .send<SignatureSteps>("POST", "/sandbox/inspect/signatures", order, controller.signal)
      .then(
        (answer) => {
          setSteps(answer);
          setRefusal(undefined);
        },
        (error: unknown) => {
          if (!controller.signal.aborted) setRefusal(reasonOf(error));
        },
      );
    return () => controller.abort();
  }, [deliveryId, attempt, body, signature]);
  if (steps === undefined) return <Refusal text={refusal} />;
  const isGenuine = steps.verdict === "genuine";
  return (
    <>
      <div class="buttons between">
        <span role="status">
          <span class={`badge ${isGenuine ? "good" : "bad"}`}>
            {isGenuine ? "Valid" : steps.verdict}
          </span>{" "}
          when it was sent
        </span>
        {numbers.length > 1 && (
          <label>
            Attempt{" "}
            <select
              value={attempt}
              onChange={({ currentTarget }) => setAttempt(Number(currentTarget.value))}
            >
              {numbers.map((number) => (
                <option key={number}>{number}</option>
              ))}
            </select>
          </label>
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
            <code>
              <span class="part-id">id</span>.<span class="part-time">timestamp</span>.
              <span class="part-body">body</span>
            </code>{" "}
            in the scheme {steps.scheme}; the body is the raw bytes, before any parser.
          </p>
          <SignedText steps={steps} body={body} />
        </li>
        <li>
          <h2>The key</h2>
          <p>
            {steps.key.form}: {steps.key.bytes} bytes, fingerprint{" "}
            <code>{steps.key.fingerprint}</code>. When a signature does not match, your receiver's
            log line has the fingerprints of its own secrets. The secret stays in the sandbox.
          </p>
        </li>
        <li>
          <h2>The HMAC</h2>
          <Code label="Expected signature" text={steps.expected} />
          <details>
            <summary>Compute it yourself, with the secret in $SECRET</summary>
            {signatureLines(steps, about.provider).map(({ name, text }) => (
              <Code key={name} label={name} text={text} />
            ))}
          </details>
        </li>
        <li>
          <h2>The comparison</h2>
          <Code label={`Received in ${steps.header}`} text={steps.received} />
          {steps.signatureDiffersAt !== null && (
            <Difference
              what="The signatures"
              at={steps.signatureDiffersAt}
              texts={[steps.expected, steps.received]}
            />
          )}
          {steps.bodyDiffersAt !== null && (
            <Difference what="The bodies" at={steps.bodyDiffersAt} texts={[payload, body]} />
          )}
        </li>
      </ol>
      <details class="paste">
        <summary>Paste what your app got</summary>
        <label>
          Body as your app received it
          <textarea
            rows={4}
            spellcheck={false}
            value={body}
            onInput={({ currentTarget }) => setBody(currentTarget.value)}
          />
        </label>
        <label>
          Signature as your app received it
          <textarea
            rows={2}
            spellcheck={false}
            value={signature ?? steps.received}
            onInput={({ currentTarget }) => setSignature(currentTarget.value)}
          />
        </label>
        <Refusal text={refusal} />
      </details>
    </>
  );
}

/** The signed text with its parts in colours. */
function SignedText({ steps, body }: { readonly steps: SignatureSteps; readonly body: string }) {
  const { signedText } = steps;
  const at = body === "" ? -1 : signedText.lastIndexOf(body);
  const head = at === -1 ? signedText : signedText.slice(0, at);
  return (
    <pre tabIndex={0} role="region" aria-label="Signed text" class="signed">
      {head.split(".").map((part, index) => (
        // oxlint-disable-next-line no-array-index-key -- the parts have places only
        <span key={index}>
          {index > 0 && "."}
          <span class={/^\d+$/.test(part) ? "part-time" : "part-id"}>{part}</span>
        </span>
      ))}
      {at !== -1 && <span class="part-body">{body}</span>}
    </pre>
  );
}

function Difference({
  what,
  at,
  texts,
}: {
  readonly what: string;
  readonly at: number;
  /** The computed signature, then the received one. */
  readonly texts: readonly [string, string];
}) {
  return (
    <div class="difference">
      <p>
        {what} differ first in byte {at}:
      </p>
      {texts.map((text, index) => (
        <p key={index === 0 ? "sent" : "received"}>
          {index === 0 ? "sent " : "received "}
          <code>
            <Around text={text} at={at} />
          </code>
        </p>
      ))}
    </div>
  );
}

function Around({ text, at }: { readonly text: string; readonly at: number }) {
  const bytes = new TextEncoder().encode(text);
  const shown = (from: number, to: number): string =>
    new TextDecoder().decode(bytes.slice(Math.max(0, from), to));
  return (
    <>
      {shown(at - AROUND, at)}
      <mark>{at < bytes.length ? shown(at, at + 1) : "(end)"}</mark>
      {shown(at + 1, at + AROUND)}
    </>
  );
}
