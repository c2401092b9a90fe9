import { generatedEvents } from "./generated-events.ts";

generatedEvents({ validated: 10_000, handled: 1000 });
