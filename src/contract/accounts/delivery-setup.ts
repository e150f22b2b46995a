import { z } from "zod";

/** How the service handles outgoing email. */
export const EmailDelivery = z.enum(["sent", "written_to_files", "waiting"]);
export type EmailDelivery = z.infer<typeof EmailDelivery>;

/** Delivery as configured by the operator. It does not tell whether delivery is running at this moment. */
export const DeliverySetup = z.object({
  email: EmailDelivery,
  webhooks: z.boolean(), // webhooks are delivered
});
export type DeliverySetup = z.infer<typeof DeliverySetup>;

export const NO_DELIVERY: DeliverySetup = { email: "waiting", webhooks: false };

/** Folder below PRESENCE_HOME for the email of a demonstration without a mail server. */
export const EMAIL_FOLDER = "state/mail";
