import { z } from "zod";
import {
  MAX_WEBHOOKS_PER_CLIENT,
  REMOVAL,
  REMOVAL_CHECKS_PER_HOUR,
  REMOVALS_PER_HOUR,
  REPORTS_PER_HOUR,
} from "../limits.ts";
import {
  AlertSubscriptionResponse,
  ConfirmedSubscription,
  ConfirmRequest,
  ManagedSubscription,
  ManageRequest,
  SubscribeRequest,
  SubscriptionView,
} from "./alerts.ts";
import {
  PartnerPortalResponse,
  WebhookDeliveries,
  WebhookDone,
  WebhookList,
  WebhookRequest,
  WebhookResponse,
} from "./partner.ts";
import { RemovalReason, RemovalReceipt, RemovalRequest, RemovalView } from "./removals.ts";
import { ReportReceipt, ReportRequest, ReportView } from "./reports.ts";

/**
 * One operation on subscriptions, partner accounts or reports (interface 4.17, 4.19, 4.20 and their companions).
 * The server, OpenAPI and the examples are generated from this list.
 */
export interface AccountOperation {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: `/api/v1/${string}`; // with {names} of path parameters
  readonly tag: "Alerts" | "Reports" | "Owners" | "Partners";
  readonly summary: string;
  readonly description: string;
  readonly needsKey: boolean;
  readonly token?: string; // description of the query parameter `token`; undefined when the operation takes none
  readonly request?: z.ZodType;
  readonly wire: z.ZodType;
  readonly success: Readonly<Partial<Record<200 | 201 | 202, string>>>;
  readonly errors: readonly (400 | 404 | 409 | 413 | 415)[]; // in addition to 401, 403, 429 and 503, which every operation may return
  readonly example?: { readonly path: Readonly<Record<string, string>>; readonly body?: object };
}

export const ACCOUNT_PATH_PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  webhook: z.string().describe("`public_id` of the endpoint."),
  delivery: z.int().positive().describe("`id` of the delivery."),
  report_id: z.string().describe("`report_id` of the report."),
  removal_id: z.string().describe("`removal_id` of the request."),
};

const MAILED_TOKEN = "Token from the link in the email.";

export const ACCOUNT_OPERATIONS = {
  subscribeAlerts: {
    method: "POST",
    path: "/api/v1/alerts/subscribe",
    tag: "Alerts",
    summary: "Subscribe to a city's change events",
    description:
      "Creates a pending subscription and queues an email with a confirmation link; nothing else is sent until the subscriber confirms. `delivery.email` states whether this service sends email, writes it to files or holds it. Returns 201 for a new request and 200 when the same subscription was requested within the last 48 hours. The response reveals nothing else about the address: neither its existing subscriptions, nor whether an email is withheld, because its owner refused emails or its mailbox or domain reached the daily limit. Requests from pages of other sites are refused with 403. `preview` shows the events of the last 30 days that would have matched.",
    needsKey: false,
    request: SubscribeRequest,
    wire: AlertSubscriptionResponse,
    success: { 201: "A pending subscription was created.", 200: "The subscription was already pending." },
    errors: [400, 404, 413, 415],
    example: { path: {}, body: { email: "reader@mail.example", city: "exampleville", min_confidence: 0.7 } },
  },
  getPendingAlert: {
    method: "GET",
    path: "/api/v1/alerts/confirm",
    tag: "Alerts",
    summary: "Get the subscription behind a confirmation link",
    description: "Read-only: to confirm, send the token by POST. Addresses are masked.",
    needsKey: false,
    token: MAILED_TOKEN,
    wire: SubscriptionView,
    success: { 200: "The pending subscription." },
    errors: [400, 404],
  },
  confirmAlert: {
    method: "POST",
    path: "/api/v1/alerts/confirm",
    tag: "Alerts",
    summary: "Confirm a subscription",
    description:
      "Starts the subscription: the first email, or a signed challenge to its endpoint, is queued. The same token can be sent again for 48 hours: the answer is 200 without the two secrets, as long as the subscription is unchanged. To get lost secrets again, subscribe again: the new confirmation returns them and replaces `signing_secret`. Requests from pages of other sites are refused with 403.",
    needsKey: false,
    request: ConfirmRequest,
    wire: ConfirmedSubscription,
    success: { 200: "The subscription is confirmed." },
    errors: [400, 404, 413, 415],
    example: { path: {}, body: { token: "EXAMPLE-ONLY-NOT-A-TOKEN" } },
  },
  getAlertSubscription: {
    method: "GET",
    path: "/api/v1/alerts/manage",
    tag: "Alerts",
    summary: "Get the subscription behind a management link",
    description:
      "Read-only: to pause, resume, change or end the subscription, send the token and an `action` by POST. Addresses are masked.",
    needsKey: false,
    token: MAILED_TOKEN,
    wire: SubscriptionView,
    success: { 200: "The subscription." },
    errors: [400, 404],
  },
  manageAlert: {
    method: "POST",
    path: "/api/v1/alerts/manage",
    tag: "Alerts",
    summary: "Pause, resume, change or end a subscription",
    description:
      "Repeating a call returns the same answer. An ended subscription stays ended; only a new confirmation restarts it. Requests from pages of other sites are refused with 403.",
    needsKey: false,
    request: ManageRequest,
    wire: ManagedSubscription,
    success: { 200: "The subscription as it is now." },
    errors: [400, 404, 413, 415],
    example: { path: {}, body: { token: "ex_sub_1.EXAMPLE-ONLY-NOT-A-TOKEN", action: "unsubscribe" } },
  },
  createReport: {
    method: "POST",
    path: "/api/v1/reports",
    tag: "Reports",
    summary: "Report a problem with published data",
    description: `Stores the report for the operator to review. A report alone changes nothing; only report counts are published. Sending the same report again within a day returns the same report. Reports from pages of other sites are refused with 403. Limit: ${REPORTS_PER_HOUR} reports per hour and client.`,
    needsKey: false,
    request: ReportRequest,
    wire: ReportReceipt,
    success: { 202: "The report is stored and awaits review." },
    errors: [400, 404, 413, 415],
    example: {
      path: {},
      body: {
        about: "ex_bakery",
        kind: "wrong_name",
        text: "The sign above the door says Example Bakery and Café.",
      },
    },
  },
  getReport: {
    method: "GET",
    path: "/api/v1/reports/{report_id}",
    tag: "Reports",
    summary: "Get the status of a report",
    description:
      "Returns whether the report is open or decided, and the decision. Its text and email address are never returned.",
    needsKey: false,
    wire: ReportView,
    success: { 200: "The report." },
    errors: [400, 404],
  },
  createRemoval: {
    method: "POST",
    path: "/api/v1/removals",
    tag: "Owners",
    summary: "Start a request to remove a record",
    description: `For the owner of a business. Returns a token to publish on the record's website or in its DNS, or asks for a code by post or phone. Nothing changes until a reviewer has decided. The answer is the same for an unknown record and for an erased one. Limit: ${REMOVALS_PER_HOUR} requests per hour and client.`,
    needsKey: false,
    request: RemovalRequest,
    wire: RemovalReceipt,
    success: { 201: "The request is stored and awaits its proof." },
    errors: [400, 404, 409, 413, 415],
    example: { path: {}, body: { record: "ex_bakery", proof: "code" } },
  },
  getRemoval: {
    method: "GET",
    path: "/api/v1/removals/{removal_id}",
    tag: "Owners",
    summary: "Get the status of a request for removal",
    description: "Returns the status and what a removal does. It never returns the record.",
    needsKey: false,
    wire: RemovalView,
    success: { 200: "The request." },
    errors: [400, 404],
  },
  checkRemoval: {
    method: "POST",
    path: "/api/v1/removals/{removal_id}/check",
    tag: "Owners",
    summary: "Check the token of a removal request",
    description: `Looks for the token in the DNS of the record's published website and at its well-known address, without following redirects. At most once in ${REMOVAL.checkPauseSeconds} seconds, and ${REMOVAL.maxChecks} times in all. Limit: ${REMOVAL_CHECKS_PER_HOUR} per hour and client.`,
    needsKey: false,
    wire: RemovalView,
    success: { 200: "The request, with the checked places." },
    errors: [400, 404, 409],
  },
  requestRemoval: {
    method: "POST",
    path: "/api/v1/removals/{removal_id}/request",
    tag: "Owners",
    summary: "Send a proven removal request",
    description: "Hands the request to a reviewer of the operator, who decides and removes the record.",
    needsKey: false,
    request: RemovalReason,
    wire: RemovalView,
    success: { 202: "The request awaits a decision." },
    errors: [400, 404, 409, 413, 415],
  },
  getPartnerPortal: {
    method: "GET",
    path: "/api/v1/partner/portal",
    tag: "Partners",
    summary: "Get the client's quota, usage, keys and webhooks",
    description: "Returns data of the client whose key is sent. Keys are listed by prefix only.",
    needsKey: true,
    wire: PartnerPortalResponse,
    success: { 200: "The client's portal." },
    errors: [400],
    example: { path: {} },
  },
  listPartnerWebhooks: {
    method: "GET",
    path: "/api/v1/partner/webhooks",
    tag: "Partners",
    summary: "List the client's webhook endpoints",
    description: "Oldest first. Secrets are never returned.",
    needsKey: true,
    wire: WebhookList,
    success: { 200: "The endpoints." },
    errors: [400],
    example: { path: {} },
  },
  createPartnerWebhook: {
    method: "POST",
    path: "/api/v1/partner/webhooks",
    tag: "Partners",
    summary: "Create a webhook endpoint or rotate its secret",
    description: `A new endpoint stays pending until it answers a signed challenge. For an existing endpoint, the call replaces the filters and rotates the secret; the previous secret stays valid for 24 hours. Limit: ${MAX_WEBHOOKS_PER_CLIENT} endpoints per client. \`webhook_contract\` of the change feed describes how deliveries are signed.`,
    needsKey: true,
    request: WebhookRequest,
    wire: WebhookResponse,
    success: {
      201: "Created.",
      200: "The endpoint existed: its filters were replaced and its secret was rotated.",
    },
    errors: [400, 404, 409, 413, 415],
    example: {
      path: {},
      body: {
        endpoint_url: "https://hooks.partner.example/presence",
        event_types: ["new_public_record"],
        city: "exampleville",
      },
    },
  },
  removePartnerWebhook: {
    method: "DELETE",
    path: "/api/v1/partner/webhooks/{webhook}",
    tag: "Partners",
    summary: "Remove a webhook endpoint",
    description: "Pending deliveries to the endpoint are dropped.",
    needsKey: true,
    wire: WebhookDone,
    success: { 200: "Removed." },
    errors: [400, 404],
  },
  testPartnerWebhook: {
    method: "POST",
    path: "/api/v1/partner/webhooks/{webhook}/test",
    tag: "Partners",
    summary: "Send a test event to an endpoint",
    description: "Queues a `webhook.test` message. The endpoint must be verified.",
    needsKey: true,
    wire: WebhookDone,
    success: { 202: "Queued." },
    errors: [400, 404, 409],
  },
  verifyPartnerWebhook: {
    method: "POST",
    path: "/api/v1/partner/webhooks/{webhook}/verify",
    tag: "Partners",
    summary: "Resend the challenge to a pending endpoint",
    description:
      "Sends a `webhook.verification` message with a new challenge at once, even while an earlier one waits for a retry.",
    needsKey: true,
    wire: WebhookDone,
    success: { 202: "Queued." },
    errors: [400, 404, 409],
  },
  listWebhookDeliveries: {
    method: "GET",
    path: "/api/v1/partner/webhooks/{webhook}/deliveries",
    tag: "Partners",
    summary: "List an endpoint's deliveries",
    description: "Returns the newest 50 deliveries, sent and pending, with their attempts.",
    needsKey: true,
    wire: WebhookDeliveries,
    success: { 200: "The deliveries." },
    errors: [400, 404],
  },
  replayWebhookDelivery: {
    method: "POST",
    path: "/api/v1/partner/webhooks/{webhook}/deliveries/{delivery}/replay",
    tag: "Partners",
    summary: "Redeliver a finished or abandoned message",
    description: "Reuses the `webhook-id`, so a receiver can recognize a message it already has.",
    needsKey: true,
    wire: WebhookDone,
    success: { 202: "Queued." },
    errors: [400, 404, 409],
  },
} as const satisfies Readonly<Record<string, AccountOperation>>;

/** Whether anyone may send it and something is stored or emailed: pages of other sites must not make their readers do so. */
export function isAnonymousWrite({ method, needsKey }: AccountOperation): boolean {
  return method !== "GET" && !needsKey;
}

export type AccountOperationId = keyof typeof ACCOUNT_OPERATIONS;

const isOperationId = (id: string): id is AccountOperationId => Object.hasOwn(ACCOUNT_OPERATIONS, id);

/** The operations as a list, each with its `operationId`. */
export const accountOperations: readonly (AccountOperation & { readonly operationId: AccountOperationId })[] =
  Object.keys(ACCOUNT_OPERATIONS)
    .filter(isOperationId)
    .map((operationId) => ({ ...ACCOUNT_OPERATIONS[operationId], operationId }));
