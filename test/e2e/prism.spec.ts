import { drawn } from "../seed.ts";
import { behindPrism, profiles } from "./prism.ts";

// Prism takes long to start: the run's seed draws one profile.
for (const profile of drawn(profiles, 1)) behindPrism(profile);
