// Builds the inspector's page where its sources have changed since.
import { buildInspector } from "../src/build-inspector.ts";

const { folder, isNew } = buildInspector();
if (isNew) console.error(`built ${folder}`);
