import { modelSuite } from "./model-suite.ts";

// Rarer answers are in the slow lane. A call takes three times as long on PostgreSQL.
modelSuite({ SQLite: 12, PostgreSQL: 3 }, ["200", "201 CREATED"]);
