import { expect, test } from "vitest";
import { configFrom } from "../kernel/config.ts";
import { deliverySetup } from "./delivery-setup.ts";

const SMTP = { SMTP_URL: "smtp://mail.example", MAIL_FROM: "alerts@presence.example" };

test.each([
  [{}, "demo", "written_to_files", true],
  [{}, "production", "waiting", true],
  [{}, undefined, "waiting", true],
  [SMTP, "demo", "sent", true],
  [SMTP, "production", "sent", true],
  [{ ...SMTP, DELIVERY: "worker" }, "production", "sent", true],
  [{ ...SMTP, DELIVERY: "off" }, "production", "waiting", false],
  [{ DELIVERY: "off" }, "demo", "waiting", false],
] as const)("%j in %s: email %s, webhooks %s", (env, environment, email, webhooks) => {
  expect(deliverySetup(configFrom(env), environment)).toEqual({ email, webhooks });
});
