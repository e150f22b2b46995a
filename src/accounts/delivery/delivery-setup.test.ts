import { expect, test } from "vitest";
import { configFrom } from "../../kernel/config/config.ts";
import { silentLog } from "../../kernel/log.ts";
import { deliveryDeps, deliverySetup } from "./delivery-setup.ts";

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

test("where nothing is to be sent no worker starts", () => {
  expect(() => deliveryDeps(configFrom({ DELIVERY: "off" }), "production", silentLog)).toThrow(
    "DELIVERY is off, so nothing is sent",
  );
  expect(deliveryDeps(configFrom({}), "production", silentLog).mailer).toBeUndefined();
  expect(deliveryDeps(configFrom({}), "demo", silentLog).mailer).toBeDefined();
});
