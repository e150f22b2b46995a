import { deliverySetup } from "../../delivery/delivery-setup.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { HOUR_MS, isoTime } from "../../kernel/time.ts";
import { currentEnvironment } from "../current-environment.ts";
import { type Check, findingOf } from "./check.ts";

/** Leases end after ten minutes, and a worker that runs leaves nothing due for long. */
const STUCK_MS = HOUR_MS;

export const stateOpens: Check = {
  name: "state",
  async find({ openState }) {
    try {
      await (await openState())?.close();
      return [];
    } catch (error) {
      return [
        findingOf(
          error,
          "start the database, set STATE_URL right, or restore what is missing from your backup",
        ),
      ];
    }
  },
};

export const outbox: Check = {
  name: "outbox",
  async find({ config, home, now, openState }) {
    if (config.delivery === "off") return []; // another finding
    try {
      await using state = await openState();
      const { email } = deliverySetup(config, currentEnvironment(home));
      const kind = email === "waiting" ? "webhook" : undefined; // mail that waits for a server is another finding
      const due = await state?.outbox.nextDueAt(kind);
      if (due === undefined || now - due <= STUCK_MS) return [];
      return [
        {
          problem: `deliveries are due since ${isoTime(due)}, and nobody sends them`,
          mend:
            config.delivery === "server"
              ? "see that `presence serve` runs, which delivers, and what its log says (delivery_failed, delivery_not_started)"
              : "see that `presence deliver --follow` or its timer runs, or unset DELIVERY",
        },
      ];
    } catch (error) {
      if (error instanceof OperatorError) return []; // the check of the state says so
      throw error;
    }
  },
};
