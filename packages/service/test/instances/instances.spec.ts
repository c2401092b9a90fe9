import { endedConnections } from "./ended-connections.ts";

// The long form is in `instances.slow.ts`.
endedConnections(2);
