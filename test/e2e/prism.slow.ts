import { behindPrism, profiles } from "./prism.ts";

for (const profile of profiles) behindPrism(profile);
