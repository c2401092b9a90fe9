import { endedConnections } from "./ended-connections.ts";

endedConnections(60);
