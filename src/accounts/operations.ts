import type { AccountOperationId } from "../contract/accounts/account-operations.ts";
import type { AccountHandler } from "./define.ts";
import {
  createPartnerWebhook,
  getPartnerPortal,
  listPartnerWebhooks,
  listWebhookDeliveries,
  removePartnerWebhook,
  replayWebhookDelivery,
  testPartnerWebhook,
  verifyPartnerWebhook,
} from "./partners.ts";
import { checkRemoval, createRemoval, getRemoval, requestRemoval } from "./removals.ts";
import { createReport, getReport } from "./reports.ts";
import {
  confirmAlert,
  getAlertSubscription,
  getPendingAlert,
  manageAlert,
  subscribeAlerts,
} from "./subscriptions.ts";

/** The handler of each operation of the contract (interface 4.17, 4.19, 4.20, and what their users need as well). */
export const ACCOUNT_HANDLERS: Readonly<Record<AccountOperationId, AccountHandler>> = {
  subscribeAlerts,
  getPendingAlert,
  confirmAlert,
  getAlertSubscription,
  manageAlert,
  createReport,
  getReport,
  createRemoval,
  getRemoval,
  checkRemoval,
  requestRemoval,
  getPartnerPortal,
  listPartnerWebhooks,
  createPartnerWebhook,
  removePartnerWebhook,
  testPartnerWebhook,
  verifyPartnerWebhook,
  listWebhookDeliveries,
  replayWebhookDelivery,
};
