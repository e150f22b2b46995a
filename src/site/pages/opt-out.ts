import { REMOVAL_STATUS_WORDS } from "../../contract/accounts/removals.ts";
import type { ResultPage } from "./result-page.ts";

/** Result pages of the forms for owners. */
export const RESULTS: readonly ResultPage[] = [
  {
    path: "requested",
    title: "Request sent",
    text: REMOVAL_STATUS_WORDS.requested,
    more: "When the record is removed, its page answers 404. The id of your request, at the end of the address that you came from, shows the decision.",
  },
  {
    path: "unknown",
    title: "No such request",
    text: "No request has this id.",
    more: "A request that is not proven in time is deleted: start a new one.",
  },
];
