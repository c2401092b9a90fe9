import { describe } from "vitest";
import { drawn, seed } from "../../seed.ts";
import { meetProviders, meetReceivers, receiverHostilities } from "./meet.ts";
import { hostilities } from "./servers.ts";

// packages/contract-kit tests hostile texts in reports; the long lane meets all of these.
describe(`a run against a hostile target, some drawn with seed ${seed},`, () => {
  meetReceivers(drawn(receiverHostilities, 1));
  meetProviders(drawn(Object.keys(hostilities), 1));
});
