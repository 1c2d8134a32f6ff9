import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Budget } from "@tollgate/contract/budgets.ts";

export const budgetWindowLabels: Record<Budget["window"], MessageDescriptor> = {
  hour: msg`An hour`,
  day: msg`A day`,
  week: msg`A week`,
  month: msg`A month`,
  lifetime: msg`Without an end`,
};

export const budgetSubjectLabels: Record<Budget["subject"], MessageDescriptor> = {
  site: msg`The whole site`,
  user: msg`User`,
  token: msg`Key`,
  model: msg`Model`,
  tag: msg`Tag`,
};
