import type { DeliverySetup } from "../../contract/accounts/delivery.ts";
import type { Environment } from "../../contract/enums.ts";
import { startDelivery } from "../../delivery/deliver.ts";
import { deliveryDeps, deliverySetup } from "../../delivery/delivery-setup.ts";
import type { Config } from "../../kernel/config/config.ts";
import type { Log } from "../../kernel/log.ts";
import type { State } from "../../state/open-state.ts";
import type { ReleaseSource } from "../reads/release-source.ts";

function environmentOf(releases: ReleaseSource): Environment | undefined {
  return releases.current?.context.snapshot.release().environment;
}

/** The delivery setup that answers may promise now. */
export function setupOf(config: Config, releases: ReleaseSource): DeliverySetup {
  return deliverySetup(config, environmentOf(releases));
}

/**
 * Starts delivery in the server; undefined when another process delivers. It waits for the first release, which says whether
 * this is a demonstration.
 */
export function deliveryOf(config: Config, log: Log, releases: ReleaseSource) {
  if (config.delivery !== "server") return undefined;
  return (state: State) => {
    if (releases.current === undefined) return undefined;
    const deps = deliveryDeps(config, environmentOf(releases), log);
    const delivery = startDelivery(state, deps);
    return {
      ended: delivery.ended,
      async stop() {
        await delivery.stop();
        deps.mailer?.close();
      },
    };
  };
}
