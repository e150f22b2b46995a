import { lstatSync } from "node:fs";
import { deliverySetup } from "../../delivery/delivery-setup.ts";
import { HOUR_MS, isoTime } from "../../kernel/time.ts";
import { stateDamage } from "../../state/database/database-file.ts";
import { currentEnvironment } from "../context.ts";
import { type Check, findingIf, findingOf, withState } from "./check.ts";
import { restoreDatabase } from "./remedy.ts";

/** Leases end after ten minutes, and a running worker leaves nothing due for long. */
const STUCK_MS = HOUR_MS;
const NOW = "`presence deliver --once` sends them now";

export const stateFile: Check = {
  name: "state file",
  find(context) {
    const { config, home, isFull } = context;
    const isThere = lstatSync(home.state, { throwIfNoEntry: false }) !== undefined;
    if (config.stateUrl !== undefined || !isThere) return [];
    const mend = restoreDatabase(context, home.state);
    try {
      return stateDamage(home.state, isFull).map((damage) => ({
        problem: `${home.state} is damaged: ${damage}`,
        mend,
      }));
    } catch (error) {
      return [findingOf(error, mend)];
    }
  },
};

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
          "start the database, correct STATE_URL, or restore the missing file from your backup",
        ),
      ];
    }
  },
};

export const outbox: Check = {
  name: "outbox",
  async find(context) {
    const { config, home, now } = context;
    if (config.delivery === "off") return []; // reported by the check of email
    const { email } = deliverySetup(config, currentEnvironment(home));
    const kind = email === "waiting" ? "webhook" : undefined; // waiting email is reported by the check of email
    return withState(context, async (state) => {
      const due = (await state.outbox.nextDueAt(kind)) ?? now;
      return findingIf(
        now - due > STUCK_MS,
        `deliveries have been due since ${isoTime(due)}, and nothing sends them`,
        config.delivery === "server"
          ? `check that the server, which delivers, is running, and read its log (delivery_failed, delivery_not_started); ${NOW}`
          : `check that presence-deliver.service or presence-outbox.timer is running, or unset DELIVERY; ${NOW}`,
      );
    });
  },
};
