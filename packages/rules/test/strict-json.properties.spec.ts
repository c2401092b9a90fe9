import { strictJsonProperties } from "./strict-json-properties.ts";

strictJsonProperties(0.4, 260);
