import { strictJsonProperties } from "./strict-json-properties.ts";

strictJsonProperties(25, 100_000);
