/** Event classes that the service never raises (interface 4.15), because no observation could prove them. */

const AVAILABLE_WHEN = "Reviewed lifecycle transitions exist.";

export const UNAVAILABLE_EVENT_CLASSES = [
  {
    event_class: "closure",
    reason: "An asset that is no longer seen does not prove a closure.",
    available_when: AVAILABLE_WHEN,
  },
  {
    event_class: "rebrand",
    reason: "A new sign does not prove that the old brand ended.",
    available_when: AVAILABLE_WHEN,
  },
  {
    event_class: "vacancy",
    reason: "A place without a sign does not prove that it is empty.",
    available_when: AVAILABLE_WHEN,
  },
] as const;
