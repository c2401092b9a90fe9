import { onStores, sqlite } from "../store/stores.ts";
import { refundRaces } from "./refund-races.ts";

onStores([sqlite], ({ open }) => refundRaces(open, { calls: 1000, keys: 500 }));
