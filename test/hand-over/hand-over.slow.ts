import { describePostgres } from "../../packages/receiver/test/inboxes/describe-postgres.ts";
import { handsOverOnce } from "./suite.ts";

describePostgres("the guide to handing over", (postgres) => handsOverOnce(postgres, 50));
