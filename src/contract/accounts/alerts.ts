import { z } from "zod";
import { citySlug } from "../cities/city-slug.ts";
import { findIndustry } from "../cities/industry.ts";
import { ChangeEvent } from "../cities/pulse.ts";
import { AlertChannel, EventType, SubscriptionStatus } from "../enums.ts";
import { Count, Ratio } from "../fields.ts";
import { MAX_QUERY_TEXT } from "../limits.ts";
import { SCHEMA } from "../versions.ts";
import { EmailDelivery } from "./delivery-setup.ts";
import { WebhookUrl } from "./endpoint-url.ts";

export const DEFAULT_MIN_CONFIDENCE = 0.6;

/** RFC 5321 4.5.3.1: longer ones cannot be delivered to. */
const MAX_LOCAL_PART = 64;
const MAX_EMAIL = 254;

const aText = {
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? "is required" : "must be a text",
};

/** One address and nothing else: no name, no second address, no line end. */
export const EmailAddress = z
  .string(aText)
  .max(MAX_EMAIL, `must have at most ${MAX_EMAIL} characters`)
  .pipe(z.email("must be one e-mail address, such as name@example.org"))
  .refine(
    (address) => address.lastIndexOf("@") <= MAX_LOCAL_PART,
    `must have at most ${MAX_LOCAL_PART} characters before the @`,
  );

const EVENT_TYPES = `must be among ${EventType.options.join(", ")}`;

/** A choice of event types; each once, in the order of the interface. */
export const EventTypes = z
  .array(z.enum(EventType.options, EVENT_TYPES), "must be a list of event types")
  .min(1, "must name one event type at least; leave it out for all")
  .max(100, "must name each event type once")
  .overwrite((types) => EventType.options.filter((type) => types.includes(type)))
  .describe("Only events of these types; all when not given.");

const text = z
  .string(aText)
  .min(1, "must not be blank")
  .max(MAX_QUERY_TEXT, `must have at most ${MAX_QUERY_TEXT} characters`);

/** Body of interface 4.17. */
export const SubscribeRequest = z
  .strictObject({
    email: EmailAddress.describe("Where alerts go once the address is confirmed."),
    city: text.overwrite(citySlug).describe("Slug of the city, in any case."),
    channel: z
      .enum(AlertChannel.options, `must be one of ${AlertChannel.options.join(", ")}`)
      .default("email")
      .describe("`webhook` needs `webhook_url`; `dashboard` is reserved for the partner portal."),
    entity_public_id: text
      .optional()
      .describe("Only events of this Presence Record, which must be of the city."),
    industry_code: z
      .string("must be a text")
      .refine((code) => findIndustry(code) !== undefined, "must be an ISIC Rev. 5 code")
      .optional()
      .describe("Only events of records of this industry, or below it."),
    event_types: EventTypes.optional(),
    min_confidence: z
      .number("must be a number from 0 to 1")
      .min(0, "must be a number from 0 to 1")
      .max(1, "must be a number from 0 to 1")
      .default(DEFAULT_MIN_CONFIDENCE)
      .describe("Only events of at least this confidence."),
    webhook_url: WebhookUrl.optional().describe("Where events are posted to when `channel` is `webhook`."),
  })
  .superRefine(({ channel, webhook_url }, context) => {
    if ((channel === "webhook") === (webhook_url !== undefined)) return;
    const message =
      webhook_url === undefined
        ? "is required when channel is webhook"
        : "is for channel webhook only: set channel, or leave it out";
    context.addIssue({ code: "custom", path: ["webhook_url"], message });
  })
  .meta({ id: "AlertSubscribeRequest", description: "What to be told of, and how." });
export type SubscribeRequest = z.infer<typeof SubscribeRequest>;

export const DeliveryStatus = z.enum(["verification_pending", "partner_portal_pending"]);

const scope = z
  .looseObject({
    city: z.string(),
    entity_public_id: z.string().nullable(),
    industry_code: z.string().nullable(),
  })
  .describe("What the subscription covers; null where it is not restricted.");

/** What the answers say of a subscription; never the address. */
const subscriptionFields = {
  public_id: z.string(),
  status: SubscriptionStatus,
  channel: AlertChannel,
  scope,
  event_types: z.array(EventType).describe("Every type that is sent."),
  min_confidence: Ratio,
};

/** Interface 2.12. It says the same whether the address has an active subscription or not. */
export const AlertSubscriptionResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.alertSubscription),
    ok: z.boolean(),
    subscription: z.looseObject({
      ...subscriptionFields,
      created: z.boolean().describe("False: the same was asked for in the last 48 hours."),
    }),
    delivery: z.looseObject({
      status: DeliveryStatus,
      queued_events: Count.describe("Events that wait for the confirmation."),
      email: EmailDelivery.describe(
        "What happens to email here: `sent`; `written_to_files` in a demonstration without a mail server; `waiting` until the operator configures email.",
      ),
      note: z.string(),
    }),
    preview: z.looseObject({
      matched_events: Count.describe("Events of the last 30 days that the subscription would have matched."),
      latest_events: z.array(ChangeEvent).describe("The newest of them."),
    }),
  })
  .meta({ id: "AlertSubscriptionResponse", description: "A subscription that waits for its confirmation." });
export type AlertSubscriptionResponse = z.infer<typeof AlertSubscriptionResponse>;

/** What the holder of a mailed link is shown. */
export const SubscriptionView = z
  .looseObject({
    schema: z.literal(SCHEMA.alertSubscription),
    ok: z.boolean(),
    subscription: z.looseObject({
      ...subscriptionFields,
      address: z.string().nullable().describe("Masked; null once the subscription has ended."),
      webhook_url: z.string().nullable(),
    }),
  })
  .meta({ id: "AlertSubscriptionView", description: "A subscription as its owner sees it." });
export type SubscriptionView = z.infer<typeof SubscriptionView>;
