import { z } from "zod";
import { asciiAddress } from "../../kernel/text/contacts.ts";
import { citySlug } from "../cities/city.ts";
import { findIndustry } from "../cities/industry.ts";
import { ChangeEvent } from "../cities/pulse.ts";
import { AlertChannel, EventType, SubscriptionStatus } from "../enums.ts";
import { CityNameOrNull, Count, cityFields, Ratio } from "../fields.ts";
import { MAX_QUERY_TEXT } from "../limits.ts";
import { SCHEMA } from "../versions.ts";
import { EmailDelivery, WebhookUrl } from "./delivery.ts";

export const DEFAULT_MIN_CONFIDENCE = 0.6;

// RFC 5321 4.5.3.1: longer addresses cannot receive email.
const MAX_LOCAL_PART = 64;
const MAX_EMAIL = 254;

const aText = {
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? "is required" : "must be a string",
};

// As zod's, but for top-level domains in other scripts, which are xn--… in ASCII.
const EMAIL =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+([A-Za-z]{2,}|[Xx][Nn]--[A-Za-z0-9-]+)$/;

/** A single email address: no display name, no second address, no line break. Its domain may be international, and becomes ASCII. */
export const EmailAddress = z
  .string(aText)
  .overwrite(asciiAddress)
  .max(MAX_EMAIL, `must be at most ${MAX_EMAIL} characters long`)
  .pipe(z.email({ pattern: EMAIL, error: "must be a single email address, such as name@example.org" }))
  .refine(
    (address) => address.lastIndexOf("@") <= MAX_LOCAL_PART,
    `must be at most ${MAX_LOCAL_PART} characters long before the @`,
  );

const EVENT_TYPES = `must be one or more of ${EventType.options.join(", ")}`;

/** A selection of event types, without duplicates, in the order of the interface. */
export const EventTypes = z
  .array(z.enum(EventType.options, EVENT_TYPES), "must be an array of event types")
  .min(1, "must contain at least one event type; omit it to get all")
  .max(100, "must contain each event type once")
  .overwrite((types) => EventType.options.filter((type) => types.includes(type)))
  .describe("Only events of these types. Default: all types.");

const RATIO = "must be a number between 0 and 1";
const MinConfidence = z
  .number(RATIO)
  .min(0, RATIO)
  .max(1, RATIO)
  .describe(
    "Only events with at least this confidence. An event that reaches it later, within 30 days of its detection, is sent then. A changed threshold applies from the next release.",
  );

const text = z
  .string(aText)
  .min(1, "must not be blank")
  .max(MAX_QUERY_TEXT, `must be at most ${MAX_QUERY_TEXT} characters long`);

/** Request body of interface 4.17. */
export const SubscribeRequest = z
  .strictObject({
    email: EmailAddress.describe("Address that receives notifications once it is confirmed."),
    city: text.overwrite(citySlug).describe("City slug; case-insensitive."),
    channel: z
      .enum(AlertChannel.options, `must be one of ${AlertChannel.options.join(", ")}`)
      .default("email")
      .describe("`webhook` needs `webhook_url`; `dashboard` is reserved for the partner portal."),
    entity_public_id: text
      .optional()
      .describe("Only events of this Presence Record, which must belong to the city."),
    industry_code: z
      .string("must be a string")
      .refine((code) => findIndustry(code) !== undefined, "must be an ISIC Rev. 5 code")
      .optional()
      .describe("Only events of records in this ISIC Rev. 5 industry or below it."),
    event_types: EventTypes.optional(),
    min_confidence: MinConfidence.default(DEFAULT_MIN_CONFIDENCE),
    webhook_url: WebhookUrl.optional().describe(
      "Address that receives events by POST. Required when `channel` is `webhook`.",
    ),
  })
  .superRefine(({ channel, webhook_url }, context) => {
    if ((channel === "webhook") === (webhook_url !== undefined)) return;
    const message =
      webhook_url === undefined
        ? "is required for delivery to a webhook"
        : "is valid only with channel webhook: set channel to webhook, or omit webhook_url";
    context.addIssue({ code: "custom", path: ["webhook_url"], message });
  })
  .meta({
    id: "AlertSubscribeRequest",
    description: "A subscription request: which events, and how to deliver them.",
  });
export type SubscribeRequest = z.infer<typeof SubscribeRequest>;

export const DeliveryStatus = z.enum(["verification_pending", "partner_portal_pending"]);

const scope = z
  .looseObject({
    city: cityFields.city,
    city_name: CityNameOrNull,
    entity_public_id: z.string().nullable(),
    industry_code: z.string().nullable(),
    in_words: z.string().describe("The scope as emails name it: `Example Bakery in Exampleville`."),
  })
  .describe("Scope of the subscription; null if unrestricted.");

/** Fields shared by all subscription responses. They never contain the address. */
const subscriptionFields = {
  public_id: z.string(),
  status: SubscriptionStatus,
  channel: AlertChannel,
  scope,
  event_types: z.array(EventType).describe("All event types that are sent."),
  min_confidence: Ratio,
};

/** Interface 2.12. The response is the same whether or not the address already has an active subscription. */
export const AlertSubscriptionResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.alertSubscription),
    ok: z.boolean(),
    subscription: z.looseObject({
      ...subscriptionFields,
      created: z
        .boolean()
        .describe("False when the same subscription was requested within the last 48 hours."),
    }),
    delivery: z.looseObject({
      status: DeliveryStatus,
      queued_events: Count.describe("Events queued until the subscription is confirmed."),
      email: EmailDelivery.describe(
        "How this service handles email: `sent`; `written_to_files` in a demonstration without a mail server; `waiting` until the operator configures email.",
      ),
      note: z.string(),
    }),
    preview: z.looseObject({
      matched_events: Count.describe("Events of the last 30 days that the subscription would have matched."),
      latest_events: z.array(ChangeEvent).describe("The newest of the matched events."),
    }),
  })
  .meta({ id: "AlertSubscriptionResponse", description: "A subscription that awaits confirmation." });
export type AlertSubscriptionResponse = z.infer<typeof AlertSubscriptionResponse>;

/** The subscription as the holder of an emailed link sees it. */
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

const linkToken = text.describe("Token of the emailed link: the part after `token=`.");

export const ConfirmRequest = z
  .strictObject({ token: linkToken })
  .meta({ id: "AlertConfirmRequest", description: "The token of a confirmation link." });

/** What the management page offers, to programs as well. */
export const ManageAction = z.enum(["pause", "resume", "change", "unsubscribe"]);
export type ManageAction = z.infer<typeof ManageAction>;

export const ManageRequest = z
  .strictObject({
    token: text.describe(
      "Token of a management link, or `manage_token` of the answer to a confirmation. `unsubscribe` also takes the token of an unsubscribe link.",
    ),
    action: z
      .enum(ManageAction.options, `must be one of ${ManageAction.options.join(", ")}`)
      .describe(
        "`change` sets `event_types`, `min_confidence` or both. `unsubscribe` ends the subscription and deletes its address and its endpoint.",
      ),
    event_types: EventTypes.optional().describe("With `change`: only events of these types from now on."),
    min_confidence: MinConfidence.optional(),
  })
  .superRefine(({ action, event_types, min_confidence }, context) => {
    const isGiven = event_types !== undefined || min_confidence !== undefined;
    if ((action === "change") === isGiven) return;
    const message = isGiven
      ? "must be change where event_types or min_confidence is given"
      : "change needs event_types or min_confidence";
    context.addIssue({ code: "custom", path: ["action"], message });
  })
  .meta({ id: "AlertManageRequest", description: "An action on a subscription." });
export type ManageRequest = z.infer<typeof ManageRequest>;

const toldOnce = "Returned only by the first confirmation; null when the same token is sent again.";

export const ConfirmedSubscription = SubscriptionView.extend({
  manage_token: z
    .string()
    .nullable()
    .describe(`Pauses, resumes, changes and ends the subscription: keep it secret. ${toldOnce}`),
  signing_secret: z
    .string()
    .nullable()
    .describe(
      `Signs what the endpoint of channel \`webhook\` receives; null for other channels. ${toldOnce}`,
    ),
}).meta({ id: "AlertConfirmedSubscription", description: "A subscription that is confirmed." });
export type ConfirmedSubscription = z.infer<typeof ConfirmedSubscription>;

export const ManagedSubscription = SubscriptionView.extend({
  subscription: SubscriptionView.shape.subscription
    .nullable()
    .describe("Null when it ended long ago and its data is deleted."),
}).meta({ id: "AlertManagedSubscription", description: "A subscription after a change by its owner." });
export type ManagedSubscription = z.infer<typeof ManagedSubscription>;
