import { asyncApiSuite } from "./asyncapi-suite.ts";
import { otherProfile } from "./documented-profiles.ts";

asyncApiSuite([["other", otherProfile]]);
