/** What stands there without a session. */
export function Locked() {
  return (
    <main className="empty">
      <h1>Open the address that the sandbox has printed</h1>
      <p>
        It ends in <code>#key=…</code>, which opens this page for this browser until the sandbox
        ends. Each start has another key.
      </p>
      <p>
        <code>countersign sandbox --open</code> opens it by itself.
      </p>
    </main>
  );
}
