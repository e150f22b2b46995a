import { z } from "zod";

/** What happens to email that the service has to send. */
export const EmailDelivery = z.enum(["sent", "written_to_files", "waiting"]);
export type EmailDelivery = z.infer<typeof EmailDelivery>;

/** What the operator has set up for delivery. It says what is meant to run, and not whether it runs at this moment. */
export const DeliverySetup = z.object({
  email: EmailDelivery,
  webhooks: z.boolean(), // something posts them
});
export type DeliverySetup = z.infer<typeof DeliverySetup>;

export const NO_DELIVERY: DeliverySetup = { email: "waiting", webhooks: false };

/** Below PRESENCE_HOME: where a demonstration without a mail server puts its email. */
export const EMAIL_FOLDER = "mail";
