import { strictJsonProperties } from "./strict-json-properties.ts";

// More than 100,000 bodies for the verdicts.
strictJsonProperties(200);
