import { CopyButton } from "./copy-button.tsx";

/** Characters of a text that are shown; a copy has all. */
const SHOWN = 256 * 1024;

/** Text to read and to copy, as it stands. */
export function Code({
  text,
  label,
  wraps = true,
}: {
  readonly text: string;
  readonly label: string;
  readonly wraps?: boolean;
}) {
  const shown = text.length > SHOWN ? text.slice(0, SHOWN) : text;
  return (
    <figure className="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={text} label="copy" />
      </figcaption>
      <pre className={wraps ? "wraps" : ""} tabIndex={0} aria-label={label}>
        {shown}
      </pre>
      {text.length > SHOWN && (
        <p className="note">
          The first {String(SHOWN / 1024)} Ki of {String(text.length)} characters are shown; a copy
          has all.
        </p>
      )}
    </figure>
  );
}
