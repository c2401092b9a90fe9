import { render } from "preact";
import { App } from "./app.tsx";
import { KEY_IN_ADDRESS, openSession } from "./remote.ts";

const page = document.getElementById("page");
if (page === null) throw new Error("the page has no element to draw in");

// The address of a restarted sandbox, pasted into this tab, changes the fragment only.
addEventListener("hashchange", () => {
  if (KEY_IN_ADDRESS.test(location.hash)) location.reload();
});

const token = await openSession().catch(() => undefined);
render(token === undefined ? <Locked /> : <App token={token} />, page);

/** The page without a session. */
function Locked() {
  return (
    <main class="empty">
      <h1>Open the address that the command printed</h1>
      <p>
        It ends in <code>#key=…</code>. The key opens this page for this browser until the command
        stops; each start prints a new one. You can paste the address into this tab.
      </p>
      <p>
        <code>countersign sandbox --open</code> and <code>countersign listen --open</code> open the
        page for you.
      </p>
    </main>
  );
}
