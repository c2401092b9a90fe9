import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { Locked } from "./locked.tsx";
import { openSession } from "./remote/session.ts";

const page = document.getElementById("page");
if (page === null) throw new Error("the page has no place to draw in");
const root = createRoot(page);
const token = await openSession().catch(() => undefined);
root.render(token === undefined ? <Locked /> : <App token={token} />);
