// Express, with the signature verified by hand as the Standard Webhooks specification describes.
import { createHmac, timingSafeEqual } from "node:crypto";
import express from "express";
import { handleOnce, mountEffects } from "./ledger.mjs";

const { PORT, WEBHOOK_SECRET = "" } = process.env;
const key = Buffer.from(WEBHOOK_SECRET.replace("whsec_", ""), "base64");
const TOLERANCE_SECONDS = 300;

function isGenuine(headers, body) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const signatures = headers["webhook-signature"];
  if (!id || !timestamp || !signatures || !/^\d+$/.test(timestamp)) return false;
  if (Math.abs(Math.floor(Date.now() / 1000) - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(" ").some((one) => {
    const [version, value] = one.split(",");
    if (version !== "v1" || !value) return false;
    const sent = Buffer.from(value, "base64");
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}

const app = express();

app.post("/webhooks", express.raw({ type: "application/json", limit: "1mb" }), (req, res) => {
  if (!Buffer.isBuffer(req.body) || !isGenuine(req.headers, req.body)) {
    res.status(401).json({ error: "invalid signature" });
    return;
  }
  let event;
  try {
    event = JSON.parse(req.body.toString());
  } catch {
    res.status(400).json({ error: "invalid JSON" });
    return;
  }
  try {
    handleOnce(event);
    res.sendStatus(204);
  } catch {
    res.sendStatus(500);
  }
});

mountEffects(app, express.json());
app.listen(Number(PORT), "127.0.0.1");
