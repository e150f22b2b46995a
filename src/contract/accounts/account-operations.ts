import { z } from "zod";
import { MAX_WEBHOOKS_PER_CLIENT, REPORTS_PER_HOUR } from "../limits.ts";
import { AlertSubscriptionResponse, SubscribeRequest, SubscriptionView } from "./alerts.ts";
import {
  PartnerPortalResponse,
  WebhookDeliveries,
  WebhookDone,
  WebhookList,
  WebhookRequest,
  WebhookResponse,
} from "./partner.ts";
import { ReportReceipt, ReportRequest, ReportView } from "./reports.ts";

/**
 * The operations that read or change what the server keeps beside releases: alert subscriptions, partner accounts and reports of problems (interface 4.17,
 * 4.19, 4.20, and what their users need beside). The server, OpenAPI and the examples are made from this list.
 */
export interface AccountOperation {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: `/api/v1/${string}`; // with {names} of path parameters
  readonly tag: "Alerts" | "Reports" | "Partners";
  readonly summary: string;
  readonly description: string;
  readonly needsKey: boolean;
  readonly token?: string; // meaning of the query parameter `token`, where there is one
  readonly request?: z.ZodType;
  readonly wire: z.ZodType;
  readonly success: Readonly<Partial<Record<200 | 201 | 202, string>>>;
  readonly errors: readonly (400 | 404 | 409 | 413 | 415)[]; // beside 401, 403, 429 and 503, which any of them may answer
  readonly example?: { readonly path: Readonly<Record<string, string>>; readonly body?: object };
}

/** Path parameters of these operations. */
export const ACCOUNT_PATH_PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  webhook: z.string().describe("`public_id` of the endpoint."),
  delivery: z.int().positive().describe("`id` of the delivery."),
  report_id: z.string().describe("`report_id` of the report."),
};

const MAILED_TOKEN = "The token of the mailed link.";

export const ACCOUNT_OPERATIONS = {
  subscribeAlerts: {
    method: "POST",
    path: "/api/v1/alerts/subscribe",
    tag: "Alerts",
    summary: "Ask to be told of a city's change events",
    description:
      "Makes a pending subscription and queues an email with a link that confirms it; nothing else is sent before. `delivery.email` says whether email is sent here, written to files or waits. 201 for a new request, 200 when the same was asked for in the last 48 hours. The answer says nothing of subscriptions that the address may have already. `preview` has what would have matched in the last 30 days.",
    needsKey: false,
    request: SubscribeRequest,
    wire: AlertSubscriptionResponse,
    success: { 201: "A pending subscription was made.", 200: "It was pending already." },
    errors: [400, 404, 413, 415],
    example: { path: {}, body: { email: "reader@mail.example", city: "exampleville", min_confidence: 0.7 } },
  },
  getPendingAlert: {
    method: "GET",
    path: "/api/v1/alerts/confirm",
    tag: "Alerts",
    summary: "What a confirmation link would confirm",
    description: "Changes nothing: a POST to the link itself confirms. Addresses are masked.",
    needsKey: false,
    token: MAILED_TOKEN,
    wire: SubscriptionView,
    success: { 200: "The pending subscription." },
    errors: [400, 404],
  },
  getAlertSubscription: {
    method: "GET",
    path: "/api/v1/alerts/manage",
    tag: "Alerts",
    summary: "The subscription that a mailed link manages",
    description: "Addresses are masked. A POST of `action` to the link itself pauses, resumes or ends it.",
    needsKey: false,
    token: MAILED_TOKEN,
    wire: SubscriptionView,
    success: { 200: "The subscription." },
    errors: [400, 404],
  },
  createReport: {
    method: "POST",
    path: "/api/v1/reports",
    tag: "Reports",
    summary: "Report a problem with something that is published",
    description: `Keeps the report for the operator to look at; nothing is changed by it alone, and nothing of it is published but counts. The same report sent again within a day is one. At most ${REPORTS_PER_HOUR} an hour and client.`,
    needsKey: false,
    request: ReportRequest,
    wire: ReportReceipt,
    success: { 202: "The report is kept; nobody has looked at it yet." },
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
    summary: "What became of a report",
    description:
      "Whether it is open, and once it was decided about, how. Its text and mail address are not shown.",
    needsKey: false,
    wire: ReportView,
    success: { 200: "The report." },
    errors: [400, 404],
  },
  getPartnerPortal: {
    method: "GET",
    path: "/api/v1/partner/portal",
    tag: "Partners",
    summary: "The client's own quota, usage, keys and webhooks",
    description: "Scoped to the client whose key is sent. Keys are listed by how they begin.",
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
    summary: "The client's webhook endpoints",
    description: "Oldest first, without their secrets.",
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
    summary: "Create a webhook endpoint, or rotate the secret of one",
    description: `A new endpoint is pending until it has answered a signed challenge. For an endpoint that exists the filters are replaced and the secret is rotated; the one before stays valid for 24 hours. At most ${MAX_WEBHOOKS_PER_CLIENT} endpoints for each client. How deliveries are signed is in \`webhook_contract\` of the change feed.`,
    needsKey: true,
    request: WebhookRequest,
    wire: WebhookResponse,
    success: { 201: "Created.", 200: "It existed: filters replaced and secret rotated." },
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
    description: "What waits for it is not delivered any more.",
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
    description: "Puts a `webhook.test` message in the queue. The endpoint must be verified.",
    needsKey: true,
    wire: WebhookDone,
    success: { 202: "Queued." },
    errors: [400, 404, 409],
  },
  verifyPartnerWebhook: {
    method: "POST",
    path: "/api/v1/partner/webhooks/{webhook}/verify",
    tag: "Partners",
    summary: "Send the challenge to a pending endpoint again",
    description: "Puts a `webhook.verification` message with a new challenge in the queue.",
    needsKey: true,
    wire: WebhookDone,
    success: { 202: "Queued." },
    errors: [400, 404, 409],
  },
  listWebhookDeliveries: {
    method: "GET",
    path: "/api/v1/partner/webhooks/{webhook}/deliveries",
    tag: "Partners",
    summary: "What was sent to an endpoint, and what waits",
    description: "The newest 50 deliveries with their attempts.",
    needsKey: true,
    wire: WebhookDeliveries,
    success: { 200: "The deliveries." },
    errors: [400, 404],
  },
  replayWebhookDelivery: {
    method: "POST",
    path: "/api/v1/partner/webhooks/{webhook}/deliveries/{delivery}/replay",
    tag: "Partners",
    summary: "Deliver a finished or given up message once more",
    description: "With the same `webhook-id`, so that a receiver that had it can tell.",
    needsKey: true,
    wire: WebhookDone,
    success: { 202: "Queued." },
    errors: [400, 404, 409],
  },
} as const satisfies Readonly<Record<string, AccountOperation>>;

export type AccountOperationId = keyof typeof ACCOUNT_OPERATIONS;

/** The list without its names, for whoever walks over all of them. */
export const accountOperations: readonly (AccountOperation & { readonly operationId: string })[] =
  Object.entries<AccountOperation>(ACCOUNT_OPERATIONS).map(([operationId, operation]) => ({
    ...operation,
    operationId,
  }));

const FAMILIES: ReadonlySet<string | undefined> = new Set(
  accountOperations.map(({ path }) => path.split("/")[3]),
);

/** Whether an address is one of these operations, or would be if there were one of that name. */
export function isAccountPath(pathname: string): boolean {
  return pathname.startsWith("/api/v1/") && FAMILIES.has(pathname.split("/", 4)[3]);
}
