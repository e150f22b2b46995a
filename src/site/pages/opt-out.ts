import { REMOVAL_STATUS_WORDS } from "../../contract/accounts/removals.ts";
import type { ResultPage } from "./search.ts";

/** Result pages of the forms for owners, with the paths of the server's removal forms. */
export const OPT_OUT_RESULTS: readonly ResultPage[] = [
  {
    path: "requested",
    title: "Request sent",
    text: REMOVAL_STATUS_WORDS.requested,
    more: "When the record is removed, its page answers 404. Check the request again to see the decision.",
  },
  {
    path: "not-found",
    title: "Token not found",
    text: "The token stands neither in the DNS of the website nor at its well-known address.",
    more: "DNS records take up to a day until they are visible everywhere. Go back and check again later.",
  },
  {
    path: "carried-out",
    title: "Record removed",
    text: REMOVAL_STATUS_WORDS.carried_out,
    more: "Its page answers 404. If search engines still show it, ask them to look again.",
  },
  {
    path: "declined",
    title: "Request declined",
    text: REMOVAL_STATUS_WORDS.declined,
    more: "Contact the operator to ask for the reason.",
  },
  {
    path: "unknown",
    title: "No such request",
    text: "No request has this id.",
    more: "A request that is not proven in time is deleted: start a new one.",
  },
];
