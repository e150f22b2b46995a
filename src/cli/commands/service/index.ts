import type { CommandTable } from "../../command.ts";

export const serviceCommands: CommandTable = {
  serve: [
    "serve the current release, and each later one as soon as it is published",
    () => import("./serve.ts"),
    "server",
  ],
  start: [
    "create the demonstration if there is no ledger, build a release if one is due, and serve it",
    () => import("./start.ts"),
  ],
  partner: ["manage API clients, their quotas and their keys", () => import("./partner.ts")],
  deliver: [
    "send due email and webhooks; several processes may run at once",
    () => import("./deliver.ts"),
    "server",
  ],
  outbox: ["list, show, retry and cancel deliveries", () => import("./outbox.ts")],
  suppress: [
    "never send email to an address again; only a keyed hash of it is stored",
    () => import("./suppress.ts"),
  ],
  subject: [
    "find, export or erase what is stored of a person, by email address",
    () => import("./subject.ts"),
  ],
  incident: ["report, update, close and list incidents of the status page", () => import("./incident.ts")],
  activity: ["import access logs and show machine activity", () => import("./activity.ts")],
  demand: ["list cities outside the service that people search in", () => import("./demand.ts")],
};
