import { Code } from "../parts/code.tsx";
import type { SignatureSteps } from "../remote/shapes.ts";

/** Bytes that are shown around the first difference. */
const AROUND = 16;

/** The steps of a verification, in their order. */
export function SignatureResult({
  steps,
  payload,
  body,
}: {
  readonly steps: SignatureSteps;
  readonly payload: string;
  readonly body: string;
}) {
  const { scheme, header, signedText, key, expected, received, verdict } = steps;
  const isGenuine = verdict === "genuine";
  return (
    <ol className="steps">
      <li>
        <h3>The signed text</h3>
        <p className="note">by the scheme {scheme}; the body is the bytes as they arrive</p>
        <Code text={signedText} label="signed text" />
      </li>
      <li>
        <h3>The key</h3>
        <p>
          {key.form}: {key.bytes} bytes, fingerprint <code>{key.fingerprint}</code>
        </p>
      </li>
      <li>
        <h3>Expected</h3>
        <Code text={expected} label="made of the text and the key" />
      </li>
      <li>
        <h3>Received</h3>
        <Code text={received} label={header} />
        {steps.signatureDiffersAt !== null && (
          <Difference
            what="The signatures"
            at={steps.signatureDiffersAt}
            texts={[expected, received]}
          />
        )}
        {steps.bodyDiffersAt !== null && (
          <Difference what="The bodies" at={steps.bodyDiffersAt} texts={[payload, body]} />
        )}
      </li>
      <li>
        <h3>Verdict</h3>
        <p role="status">
          <span className={`badge ${isGenuine ? "good" : "bad"}`}>{verdict}</span>{" "}
          <span className="note">by the clock at the time of the attempt</span>
        </p>
        {steps.explanations.map(({ cause, certain, sentence, fix }) => (
          <p key={cause}>
            {certain ? "" : "Probably: "}
            {sentence} <span className="note">{fix}</span>
          </p>
        ))}
      </li>
    </ol>
  );
}

function Difference({
  what,
  at,
  texts,
}: {
  readonly what: string;
  readonly at: number;
  /** The one that was made here, then the one that was received. */
  readonly texts: readonly [string, string];
}) {
  return (
    <div className="difference">
      <p>
        {what} differ first in byte {at}:
      </p>
      {texts.map((text, index) => (
        <p key={index === 0 ? "here" : "received"} className="mono">
          <span className="note">{index === 0 ? "here     " : "received "}</span>
          <Around text={text} at={at} />
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
