import { asyncApiSuite } from "./asyncapi-suite.ts";
import { documentedProfiles } from "./documented-profiles.ts";

asyncApiSuite(documentedProfiles);
