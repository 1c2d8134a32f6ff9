import { type AlertRuleName, severities } from "@tollgate/contract/alert-rule-table.ts";
import { type DestinationKind, destinationKinds, type NoticeDestination } from "@tollgate/contract/destinations.ts";
import { languageCodes } from "@tollgate/contract/languages.ts";
import { usualNoticeTemplate } from "@tollgate/contract/notice-templates.ts";
import * as z from "zod/mini";

/** The form fields as the inputs hold them. */
export type DestinationFormValues = {
  kind: string;
  name: string;
  address: string;
  secret: string;
  recipient: string;
  headers: string;
  template: string;
  severity: string;
  language: string;
};

export const newDestination: DestinationFormValues = {
  kind: "mail",
  name: "",
  address: "",
  secret: "",
  recipient: "",
  headers: "",
  template: usualNoticeTemplate,
  severity: "info",
  language: "",
};

export const toDestinationForm = ({ kind, name, severity, language }: NoticeDestination): DestinationFormValues => ({
  ...newDestination,
  kind,
  name,
  severity,
  language,
});

type TargetField = "address" | "secret" | "recipient" | "headers" | "template";

/** What each kind asks for; the gateway decides whether it is enough. */
export const fieldsOfKind: Record<DestinationKind, readonly TargetField[]> = {
  mail: ["address"],
  webhook: ["address"],
  slack: ["address"],
  discord: ["address"],
  feishu: ["address", "secret"],
  dingtalk: ["address", "secret"],
  wecom: ["address"],
  telegram: ["secret", "recipient"],
  ntfy: ["address", "secret"],
  custom: ["address", "headers", "template"],
};

export function destinationFormSchema(nameMissing: string) {
  return z.object({
    kind: z.enum(destinationKinds),
    name: z.string().check(z.trim(), z.minLength(1, nameMissing)),
    address: z.string().check(z.trim()),
    secret: z.string().check(z.trim()),
    recipient: z.string().check(z.trim()),
    headers: z.string(),
    template: z.string(),
    severity: z.enum(severities),
    language: z.enum(["", ...languageCodes]),
  });
}
export type DestinationFormOutput = z.output<ReturnType<typeof destinationFormSchema>>;

/** What a field of another kind held is not sent. */
export const targetOf = ({ kind, ...values }: DestinationFormOutput) =>
  Object.fromEntries(fieldsOfKind[kind].map((name) => [name, values[name]]));

export const toggledRule = (rules: readonly AlertRuleName[], rule: AlertRuleName): AlertRuleName[] =>
  rules.includes(rule) ? rules.filter((one) => one !== rule) : [...rules, rule];
