import { describe } from "vitest";
import { meetProviders, meetReceivers, receiverHostilities } from "./meet.ts";
import { hostilities } from "./servers.ts";

describe("a run against a hostile target", () => {
  meetReceivers(receiverHostilities);
  meetProviders(Object.keys(hostilities));
});
