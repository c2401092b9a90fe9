import { useState } from "react";

const SHOWN_MS = 1500;

/** Copies a text, and says so. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState<string>();
  const copy = (): void => {
    const say = (word: string): void => {
      setSaid(word);
      setTimeout(() => setSaid(undefined), SHOWN_MS);
    };
    navigator.clipboard.writeText(text).then(
      () => say("copied"),
      () => say("not allowed"),
    );
  };
  return (
    <button type="button" className="quiet" onClick={copy} aria-live="polite">
      {said ?? label}
    </button>
  );
}
