// Express and @octokit/webhooks-methods, as the library's README shows.
import { verify } from "@octokit/webhooks-methods";
import express from "express";
import { handleOnce, mountEffects } from "./ledger.mjs";

const { PORT, WEBHOOK_SECRET = "" } = process.env;
const app = express();

app.post("/webhooks", express.text({ type: "application/json" }), async (req, res) => {
  const signature = req.header("x-hub-signature-256");
  if (!signature || !req.body || !(await verify(WEBHOOK_SECRET, req.body, signature))) {
    res.status(401).send("Unauthorized");
    return;
  }
  handleOnce(JSON.parse(req.body));
  res.sendStatus(204);
});

mountEffects(app, express.json());
app.listen(Number(PORT), "127.0.0.1");
