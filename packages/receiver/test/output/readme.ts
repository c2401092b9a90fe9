import { createReceiver } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import express from "express";

const receiver = createReceiver({
  secrets: [process.env["WEBHOOK_SECRET"]],
  fallback: (event) => console.log("no handler for", event.type),
})
  .on("PAYMENT", (event) => console.log(event.type, event.data.paymentId))
  .on("refund.authorized", (event) => console.log("on its way back:", event.data.paymentId));

express().post("/webhooks", toExpress(receiver)).listen(process.env["PORT"] ?? 3000);
