import { onStores, postgres, sqlite } from "../store/stores.ts";
import { refundRaces } from "./refund-races.ts";

onStores([sqlite, postgres], ({ open }) => refundRaces(open, 1000));
